// Tells the terminal where its socket is before it starts: beside this page, so that the token goes along.
const terminal = document.getElementById("terminal");
const wanted = Number(new URLSearchParams(location.search).get("fontsize"));
terminal.dataset.sessionWebsocketUrl = location.origin.replace(/^http/, "ws") + location.pathname + "ws";
terminal.dataset.fontSize = wanted >= 6 && wanted <= 48 ? wanted : 16;
document.getElementById("again").addEventListener("click", () => location.reload());
// The terminal measures its letters once: the font has to be there by then.
document.fonts.load('16px "Roboto Mono"');
// Keys go to the terminal from its first word on, without a click.
new MutationObserver((_, observer) => {
  if (document.body.classList.contains("-first-byte")) {
    observer.disconnect();
    document.querySelector(".xterm-helper-textarea").focus();
  }
}).observe(document.body, { attributeFilter: ["class"] });
