"""Measures textgrain beside other libraries and prints tables; see README.md here."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import page, simd, tables, vectors
from benchmarks.measure import ROOT, Measurement, measure
from benchmarks.tasks import OURS, TASKS, Task
from textgrain import BPE, Corpus, Tokenizer
from textgrain._tiktoken import KNOWN, identify


def main() -> int:
    options = _options()
    peers = options.peers if Path(options.peers).exists() else sys.executable
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as work:
        model = _model(options, Path(work))
        for kind in ("similarity", "analogies"):
            listed = "".join(f"{Path(path).resolve()}\n" for path in getattr(options, kind))
            (Path(work) / f"{kind}.txt").write_text(listed, encoding="utf-8")
        for task in (TASKS[name] for name in options.tasks):
            for corpus in options.corpus:
                for threads in options.threads:
                    if threads > 1 and _is_serial(task):
                        continue
                    job = model | {
                        "task": task.name,
                        "corpus": Path(corpus).resolve(),
                        "threads": threads,
                        "work": work,
                        "passes": options.passes,
                        "epochs": options.epochs,
                    }
                    rows = _rounds(task, job, options, peers)
                    results.append(_result(task, job, rows))
                    tables.show(results[-1])
    limits = None
    if any(TASKS[name].vectors for name in options.tasks):
        limits = vectors.limits_of_a_process(simd.ENVIRONMENTS.get(options.simd, {}))
    if limits:
        print(f"\n{tables.limits_line(limits)}", flush=True)
    document = _document(options, results, limits)
    if not options.no_keep:
        _keep(document)
    return 0 if all(result["equal"] for result in results) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", required=True, nargs="+", help="text files, one document a line, or .docs files"
    )
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, os.cpu_count() or 1])
    parser.add_argument("--rounds", type=int, default=3, help="processes an engine, in turns")
    parser.add_argument("--passes", type=int, default=5, help="passes in a process after the first")
    parser.add_argument(
        "--ranks", help="a published .tiktoken file to encode with; default: a tokenizer trained here"
    )
    parser.add_argument(
        "--peers", default=str(ROOT / ".venv-peers/bin/python"), help="a Python that has the peers"
    )
    parser.add_argument(
        "--similarity", nargs="*", default=[], help="word-similarity files that score vectors"
    )
    parser.add_argument("--analogies", nargs="*", default=[], help="analogy files that score vectors")
    parser.add_argument("--epochs", type=int, default=1, help="passes of training, for word vectors")
    parser.add_argument(
        "--simd",
        choices=list(simd.ENVIRONMENTS),
        help="keep textgrain, OpenBLAS (below gensim) and faiss to this level; default: all at their best",
    )
    parser.add_argument("--no-keep", action="store_true", help="write no result file and no page")
    return parser.parse_args()


def _model(options: argparse.Namespace, work: Path) -> dict[str, Any]:
    """The tokenizer of the encoding tasks, as every library can load it."""
    if not any(TASKS[name].passes for name in options.tasks):
        return {}
    path = work / "model.json"
    if options.ranks is None:
        BPE(vocab_size=32_000, split="gpt2").train(Corpus.from_files(options.corpus[0])).save(path)
        return {"model": path}
    name = identify(Path(options.ranks))
    if name is None:
        raise SystemExit(f"{options.ranks} is none of the rank files that are known by their checksum")
    facts = KNOWN[name]
    Tokenizer.from_tiktoken(options.ranks, split=facts.split, special_tokens=facts.special_tokens).save(path)
    return {"model": path, "ranks": Path(options.ranks).resolve(), "encoding": name}


def _is_serial(task: Task) -> bool:
    """Whether more threads change nothing: one call after the other."""
    return task.passes and task.name != "encode_batch"


def _rounds(
    task: Task, job: dict[str, Any], options: argparse.Namespace, peers: str
) -> dict[str, list[Measurement]]:
    """Measure the engines in turns, so that a slow moment of the machine hits all of them."""
    rows: dict[str, list[Measurement]] = {}
    left_out: set[str] = set()
    reference = _reference(task, job)
    order = sorted(task.engines, key=lambda engine: engine != reference)
    kept_to = simd.ENVIRONMENTS.get(options.simd, {})
    for seed in range(1, options.rounds + 1):
        for engine in order:
            if engine in left_out:
                continue
            python = sys.executable if engine == OURS else peers
            row = measure(python, engine, job | {"reference": engine == reference, "seed": seed}, kept_to)
            reason = row.get("missing") or row.get("unsupported")
            if reason and engine == OURS:
                raise SystemExit(f"{task.name}: {reason}")
            if reason:
                left_out.add(engine)
                print(f"left out {engine.removesuffix('_engine')}: {reason}", file=sys.stderr)
            else:
                rows.setdefault(engine, []).append(row)
    return rows


def _reference(task: Task, job: dict[str, Any]) -> str:
    """The engine whose ids are the measure: the owner of the format, or ours if no owner is installed."""
    if not task.passes:
        return OURS
    return "tiktoken_engine" if job.get("ranks") else "huggingface"


def _result(task: Task, job: dict[str, Any], rows: dict[str, list[Measurement]]) -> dict[str, Any]:
    return {
        "task": task.name,
        "title": task.title + _epochs(task, job),
        "corpus": {"name": job["corpus"].name, "bytes": job["corpus"].stat().st_size},
        "threads": job["threads"],
        "model": job.get("encoding") or ("trained here, 32,000 tokens" if task.passes else None),
        "passes": task.passes,
        "latency": task.latency,
        "equal": _equal(task, rows),
        "engines": rows,
    }


def _epochs(task: Task, job: dict[str, Any]) -> str:
    if task.vectors is None:
        return ""
    epochs = job["epochs"] * task.vectors.epochs_for_one
    return f", {epochs} epoch{'s' if epochs > 1 else ''}"


def _equal(task: Task, rows: dict[str, list[Measurement]]) -> bool:
    measured = [row for engine in rows.values() for row in engine]
    if task.passes:
        return not any(row["mismatches"] for row in rows.get(OURS, []))
    return len({tuple(row["facts"][fact] for fact in task.equal) for row in measured}) <= 1


def _document(
    options: argparse.Namespace, results: list[dict[str, Any]], limits: dict[str, float] | None
) -> dict[str, Any]:
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "simd": options.simd,
        "rounds": options.rounds,
        "passes": options.passes,
        "limits": limits,
        "results": results,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def _keep(document: dict[str, Any]) -> None:
    directory = ROOT / "benchmarks" / "results"
    directory.mkdir(exist_ok=True)
    path = directory / time.strftime("%Y-%m-%dT%H%M%S.json", time.gmtime())
    path.write_text(json.dumps(document, indent=1, default=str) + "\n", encoding="utf-8")
    page.write(path.with_suffix(".html"), document)
    shutil.copyfile(path.with_suffix(".html"), directory / "latest.html")
    print(f"kept in {path.relative_to(ROOT)}; see benchmarks/results/latest.html", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
