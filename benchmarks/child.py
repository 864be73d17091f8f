"""Runs one task with one engine in this process and prints one line of JSON."""

from __future__ import annotations

import importlib
import json
import sys

from benchmarks import passes, vectors
from benchmarks.engines.common import Unsupported
from benchmarks.tasks import TASKS


def main() -> None:
    engine, job = sys.argv[1], passes.job_of(sys.argv[2])
    try:
        module = importlib.import_module(f"benchmarks.engines.{engine}")
    except ModuleNotFoundError as missing:
        print(json.dumps({"missing": str(missing)}))
        return
    # Anything else that a peer raises ends this process; the parent shows its last line.
    report = {"version": module.VERSION, "simd": getattr(module, "SIMD", lambda: None)()}
    try:
        task = TASKS[job.task]
        if task.passes:
            report |= passes.measure(job, module.encoder)
        elif task.vectors is not None:
            report |= vectors.measure(job, task.vectors, module.train_vectors)
        else:
            seconds, facts = getattr(module, job.task)(job)
            report |= {"seconds": seconds, "facts": facts}
    except Unsupported as reason:
        report = {"unsupported": str(reason)}
    print(json.dumps(report | {"peak_mb": passes.peak_memory()}))


if __name__ == "__main__":
    main()
