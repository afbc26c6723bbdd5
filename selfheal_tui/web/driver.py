"""The served app's driver: Textual's web driver, but the app ends in order, also when the server is gone."""

from __future__ import annotations

from textual.drivers.web_driver import WebDriver


class ServedDriver(WebDriver):
    """Quits by the app's own action, so that a session is closed before its process ends."""

    def run_input_thread(self) -> None:
        """Read until our input is closed: by the server, or because the server has died."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._quit()

    def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
        """Handle a message of the server."""
        if packet_type == "quit":
            self._quit()
        else:
            super().on_meta(packet_type, payload)

    def _quit(self) -> None:
        self._app.call_from_thread(self._app.call_later, self._app.action_quit)
