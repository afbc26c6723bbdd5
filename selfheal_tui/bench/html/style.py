"""The page's style sheet, and what the page forbids itself."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1b1f24; --soft: #5b6470; --faint: #d9dee4; --panel: #f5f7f9;
  --repaired: #0072b2; --plausible: #e69f00; --plausible-ink: #8a5a00; --ground: #fdf1d8;
  --not: #c9cfd6; --sign: #3f4750; --bar: #9cc9e4; --said: #b04a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181d; --ink: #e7ebef; --soft: #a3adb8; --faint: #333b45; --panel: #1c222a;
    --repaired: #3d9fd8; --plausible: #f0b43c; --plausible-ink: #f3c463; --ground: #4a3a14;
    --not: #4b5561; --sign: #e0e5ea; --bar: #2f6788; --said: #ff9c5b;
  }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; border-bottom: 1px solid var(--faint); padding-bottom: .2rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); }
.headline { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; }
.headline div { background: var(--panel); border: 1px solid var(--faint); border-radius: 6px; padding: .5rem .9rem; }
.headline b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.headline span { color: var(--soft); font-size: 13px; }
.warning { border-left: 4px solid var(--plausible); padding: .1rem .8rem; margin: .8rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; margin: .4rem 0; }
th, td { border-bottom: 1px solid var(--faint); padding: .22rem .8rem .22rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; color: var(--soft); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.bar { width: 172px; min-width: 172px; }
td.bar svg { display: block; width: 160px; height: 16px; margin-top: .18rem; }
td.name { overflow-wrap: anywhere; min-width: 9rem; }
td.why { min-width: 16rem; overflow-wrap: anywhere; }
td.kind { white-space: nowrap; }
td.kind svg { width: 14px; height: 14px; vertical-align: -2px; margin-right: .35rem; }
.facts th { white-space: nowrap; } .facts td { overflow-wrap: anywhere; }
.hash { font-family: ui-monospace, monospace; font-size: 12px; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.4rem 2rem; }
figure { margin: 0; break-inside: avoid; }
figcaption { margin-bottom: .3rem; }
figcaption b { display: block; }
figcaption span { color: var(--soft); font-size: 13px; }
figure svg { display: block; width: 100%; height: auto; } figure.map svg { width: auto; }
figure.map { overflow-x: auto; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: 13px; margin: .3rem 0 .8rem; padding: 0; }
.key li { list-style: none; } .key svg { width: 14px; height: 14px; vertical-align: -2px; margin-right: .35rem; }
.defs { position: absolute; width: 0; height: 0; }
details { margin: 0; } summary { cursor: pointer; }
pre { font: 12.5px/1.4 ui-monospace, monospace; background: var(--panel);
  padding: .5rem .7rem; overflow-x: auto; margin: .3rem 0; }
.add { color: var(--repaired); } .del { color: var(--said); } .at { color: var(--soft); }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .tick { font-size: 11px; fill: var(--soft); } svg .name { font-size: 11.5px; fill: var(--soft); }
svg .task { font-size: 11px; } svg .count { font-size: 10.5px; }
svg .value-repaired { fill: var(--repaired); font-weight: 600; }
svg .value-plausible { fill: var(--plausible-ink); font-weight: 600; }
svg .value-finished { fill: var(--soft); }
.grid { stroke: var(--faint); stroke-width: 1; } .axis { stroke: var(--soft); stroke-width: 1; }
.line-repaired { fill: none; stroke: var(--repaired); stroke-width: 2.2; }
.line-plausible { fill: none; stroke: var(--plausible); stroke-width: 2.2; stroke-dasharray: 6 3; }
.line-finished { fill: none; stroke: var(--soft); stroke-width: 1.3; stroke-dasharray: 2 3; }
.mark-repaired { fill: var(--repaired); stroke: var(--page); }
.mark-plausible { fill: var(--page); stroke: var(--plausible-ink); stroke-width: 1.6; }
.mark-said { fill: var(--said); stroke: var(--page); }
.ideal { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 4 4; }
.bar { fill: var(--bar); } .whisker { stroke: var(--ink); stroke-width: 1.4; }
.median { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 3 2; }
.fill-repaired { fill: var(--repaired); } .fill-plausible { fill: url(#hatch); stroke: var(--plausible); }
.fill-not { fill: var(--not); } .fill-refused { fill: none; stroke: var(--soft); stroke-dasharray: 2 2; }
.hatch-ground { fill: var(--ground); } .hatch-line { fill: var(--plausible); }
.sign { fill: none; stroke: var(--sign); stroke-width: 1.4; }
.sign-light { fill: none; stroke: #ffffff; stroke-width: 1.8; }
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --ink: #000000; --soft: #444444; --faint: #cccccc; --panel: #ffffff;
    --repaired: #0072b2; --plausible: #e69f00; --plausible-ink: #8a5a00; --ground: #fdf1d8;
    --not: #c9cfd6; --sign: #3f4750; --bar: #9cc9e4; --said: #b04a00;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 11px; max-width: none; margin: 0; padding: 0; }
  .charts { grid-template-columns: 1fr 1fr; } h2 { break-after: avoid; } tr { break-inside: avoid; }
  .wide { overflow: visible; } figure.map { break-inside: auto; overflow: visible; }
  figure.map svg { max-width: 100%; } .tasks details { display: none; }
  table { font-size: 10px; } th, td { padding-right: .5rem; } .headline b { font-size: 1.1rem; }
}
""".strip()


def policy() -> str:
    """Return the page's policy (CSP level 3): nothing is loaded or run, and no style holds but ours, by its hash."""
    digest = base64.b64encode(hashlib.sha256(f"\n{STYLE}\n".encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
