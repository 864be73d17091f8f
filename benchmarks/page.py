"""The results of a run as one HTML page without outside parts.

python -m benchmarks.page results.json page.html
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

from benchmarks import tables

STYLE = """
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #5d6571; --paper: #fbfbfa; --line: #e2e3e5;
  --ours: #2f6f5e; --peer: #a9b4c0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ec; --soft: #9aa3af; --paper: #15171a;
  --line: #2c3036; --ours: #5fb39b; --peer: #4a5562; } }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2.5rem 0 .1rem; }
p { color: var(--soft); margin: .1rem 0 .6rem; } .wrong { color: #b3261e; font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th { text-align: right; font-weight: 500; color: var(--soft); }
th:first-child, td:first-child { text-align: left; }
td, th { padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { text-align: right; } td.bar { width: 34%; min-width: 8rem; text-align: left; }
.bar div { height: .8rem; border-radius: 2px; background: var(--peer); }
tr.ours td { font-weight: 600; } tr.ours .bar div { background: var(--ours); }
td.proof { text-align: left; color: var(--soft); }
"""


def write(path: Path, document: dict[str, Any]) -> None:
    body = "".join(_section(result) for result in document["results"])
    machine = (
        f"{document['processor'] or document['machine']}, {document['processors']} processors, "
        f"Python {document['python']}, {document['date']}; {document['rounds']} rounds in turns"
    )
    kept_to = document.get("simd")
    machine += f"; all that can be kept to it on {kept_to}" if kept_to else ""
    limits = f" {tables.limits_line(document['limits'])}." if document.get("limits") else ""
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Textgrain benchmarks</title><style>{STYLE}</style></head><body>
<h1>Textgrain beside other libraries</h1>
<p>{escape(machine)}</p>
<p>Bars are rates: longer is faster. On one thread the figures are processor time, else time on the clock.
A figure has its proof beside it; an engine that cannot do a task is left out of its table.{limits}</p>
{body}</body></html>
"""
    path.write_text(page, encoding="utf-8")


def _section(result: dict[str, Any]) -> str:
    rows = tables.rows(result)
    if not rows:
        return ""
    unit = tables.unit(result)
    rates = [row.value if unit == "MB/s" else 1 / row.value for row in rows]
    longest = max(rates)
    lines = "".join(
        _line(row, rate / longest, cold=result["passes"]) for row, rate in zip(rows, rates, strict=True)
    )
    threads = f"{result['threads']} thread{'s' if result['threads'] > 1 else ''}"
    corpus = f"{result['corpus']['name']}, {result['corpus']['bytes'] / 1e6:.1f} MB"
    about = "; ".join(part for part in (corpus, threads, result["model"]) if part)
    wrong = "" if result["equal"] else '<p class="wrong">The results are not equal: do not compare.</p>'
    first = "<th>first pass</th>" if result["passes"] else ""
    return f"""<section><h2>{escape(result["title"])}</h2><p>{escape(about)}</p>{wrong}
<div class="scroll"><table><tr><th>engine</th><th></th><th>{unit}</th><th>min to max</th>{first}
<th>ours is</th><th>memory</th><th></th></tr>{lines}</table></div></section>
"""


def _line(row: tables.Row, share: float, *, cold: bool) -> str:
    first = f"<td>{row.cold:.4g}</td>" if cold and row.cold is not None else ""
    proof = tables.training_note(row) + row.proof + (", shared the machine" if row.shared else "")
    return (
        f'<tr class="{"ours" if row.engine == "textgrain" else "peer"}">'
        f"<td>{escape(tables.name_of(row))}</td>"
        f'<td class="bar"><div style="width:{100 * share:.1f}%"></div></td>'
        f"<td>{row.value:.4g}</td><td>{row.low:.4g} to {row.high:.4g}</td>{first}"
        f"<td>{row.ratio:.2f}x</td><td>{row.memory_mb:.0f} MB</td>"
        f'<td class="proof">{escape(proof)}</td></tr>'
    )


if __name__ == "__main__":
    write(Path(sys.argv[2]), json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
