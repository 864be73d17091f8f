"""Measures textgrain beside other libraries and prints a table; see README.md here."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.tasks import OURS, TASKS, Task

ROOT = Path(__file__).parent.parent
Measurement = dict[str, Any]


def main() -> int:
    options = _options()
    peers = options.peers if Path(options.peers).exists() else sys.executable
    results: dict[tuple[str, int, str], list[Measurement]] = defaultdict(list)
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as work:
        sets = "".join(f"{Path(path).resolve()}\n" for path in options.similarity)
        (Path(work) / "similarity-sets.txt").write_text(sets, encoding="utf-8")
        for name in options.tasks:
            for threads in options.threads:
                for _ in range(options.rounds):
                    for engine in TASKS[name].engines:
                        if engine in skipped:
                            continue
                        python = sys.executable if engine == OURS else peers
                        measured = _measure(python, engine, name, options.corpus, threads, work)
                        if "missing" in measured:
                            skipped[engine] = measured["missing"]
                        else:
                            results[name, threads, engine].append(measured)
    equal = _print_table(results, options)
    for engine, reason in skipped.items():
        print(f"skipped {engine}: {reason}", file=sys.stderr)
    _keep(results, options)
    return 0 if equal else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", required=True, help="a plain text file, one document a line")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, os.cpu_count() or 1])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--peers", default=str(ROOT / ".venv-peers/bin/python"), help="a Python that has the peers"
    )
    parser.add_argument(
        "--similarity", nargs="*", default=[], help="word-similarity files that score vectors"
    )
    return parser.parse_args()


def _measure(python: str, engine: str, task: str, corpus: str, threads: int, work: str) -> Measurement:
    """One process: wall, CPU and memory of all of it, seconds and facts of the task in it."""
    command = [python, "-m", "benchmarks.child", engine, task, corpus, str(threads), work]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=err, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        complaint = err.read().decode(errors="replace").strip()
        if child.returncode:
            if "ModuleNotFoundError" in complaint:
                return {"missing": complaint.splitlines()[-1]}
            raise RuntimeError(f"{engine} {task} failed:\n{complaint}")
        report = json.loads(out.read().splitlines()[-1])
    cpu = usage.ru_utime + usage.ru_stime
    return report | {
        "wall": wall,
        "cpu": cpu,
        "memory_mb": usage.ru_maxrss / 1024,
        "load": os.getloadavg()[0],
    }


def _print_table(results: dict[tuple[str, int, str], list[Measurement]], options: argparse.Namespace) -> bool:
    size = Path(options.corpus).stat().st_size / 1e6
    machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    print(f"{machine}; corpus {Path(options.corpus).name}, {size:.1f} MB; {options.rounds} rounds\n")
    header = f"{'engine':<18}{'threads':>8}{'task s':>9}{'min-max':>16}{'ratio':>8}"
    header += f"{'process s':>11}{'CPU s':>8}{'MB':>8}  "
    all_equal = True
    for name in options.tasks:
        task = TASKS[name]
        print(f"{task.title}\n{header}proof")
        for threads in options.threads:
            rows = {
                engine: results[name, threads, engine]
                for engine in task.engines
                if results[name, threads, engine]
            }
            if OURS not in rows:
                continue
            ours = statistics.median(row["seconds"] for row in rows[OURS])
            for engine, measured in rows.items():
                print(_row(engine, threads, measured, ours))
            if not _equal(task, list(rows.values())):
                all_equal = False
                print("  ^ the results are NOT equal: the times above cannot be compared")
        print()
    return all_equal


def _row(engine: str, threads: int, measured: list[Measurement], ours: float) -> str:
    seconds = [row["seconds"] for row in measured]
    median = {
        key: statistics.median(row[key] for row in measured)
        for key in ("seconds", "wall", "cpu", "memory_mb")
    }
    spread = f"{min(seconds):.2f}-{max(seconds):.2f}"
    shared = "  shared" if threads == 1 and median["cpu"] < 0.9 * median["wall"] else ""
    facts = ", ".join(
        f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value}"
        for name, value in measured[-1]["facts"].items()
    )
    name = f"{engine.removesuffix('_engine')} {measured[-1]['version'].split()[0]}"
    return (
        f"{name:<18}{threads:>8}{median['seconds']:>9.2f}{spread:>16}{median['seconds'] / ours:>7.2f}x"
        f"{median['wall']:>11.2f}{median['cpu']:>8.2f}{median['memory_mb']:>8.0f}  {facts}{shared}"
    )


def _equal(task: Task, rows: list[list[Measurement]]) -> bool:
    proofs = {tuple(measured["facts"][fact] for fact in task.equal) for row in rows for measured in row}
    return len(proofs) == 1


def _keep(results: dict[tuple[str, int, str], list[Measurement]], options: argparse.Namespace) -> None:
    directory = ROOT / "benchmarks" / "results"
    directory.mkdir(exist_ok=True)
    document = {
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "corpus": {"name": Path(options.corpus).name, "bytes": Path(options.corpus).stat().st_size},
        "results": [
            {"task": task, "threads": threads, "engine": engine, "measurements": measured}
            for (task, threads, engine), measured in results.items()
        ],
    }
    path = directory / time.strftime("%Y-%m-%dT%H%M%S.json", time.gmtime())
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"kept in {path.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
