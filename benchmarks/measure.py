"""One measurement: a task with an engine in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
Measurement = dict[str, Any]


def environment_of(threads: int, simd: dict[str, str]) -> dict[str, str]:
    """The environment of a process in which libraries keep to this number of threads, and to a level."""
    count = str(threads)
    return os.environ | {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count} | simd


def measure(python: str, engine: str, job: dict[str, Any], simd: dict[str, str]) -> Measurement:
    """Wall and CPU time of the whole process beside what it reports of the task.

    `simd` are variables of the environment that keep engines to a level of processor.
    A result with the key "missing" or "unsupported" says why the engine has no figure.
    """
    command = [python, "-m", "benchmarks.child", engine, json.dumps(job, default=str)]
    environment = environment_of(job["threads"], simd)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=err, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode:
            complaint = err.read().decode(errors="replace").strip()
            return {"unsupported": f"failed: {complaint.splitlines()[-1] if complaint else status}"}
        report = json.loads(out.read().splitlines()[-1])
    return report | {
        "process": {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime},
        "load_average": os.getloadavg()[0],
    }
