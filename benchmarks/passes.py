"""Tasks that go over documents in passes: the same loop for every library."""

from __future__ import annotations

import json
import resource
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.engines.common import Encoder, Job, Unsupported

#: Later passes end after this many seconds, however many were asked for.
PATIENCE = 30.0
CALLS = 20_000

Pass = Callable[[], Any]


def measure(job: Job, make_encoder: Callable[[Job], Encoder]) -> dict[str, Any]:
    documents = _documents(job)
    before = _resident()
    started = time.perf_counter()
    encoder = make_encoder(job)
    loaded = time.perf_counter() - started
    memory = {"before": before, "loaded": _resident()}
    ids, one_pass = _work(job, encoder, documents)
    cold = _timed(one_pass)
    memory["cold"] = _resident()
    mismatches = _check(job, documents, ids())
    warm, deadline = [], time.perf_counter() + PATIENCE
    while len(warm) < job.passes and (not warm or time.perf_counter() < deadline):
        warm.append(_timed(one_pass))
    memory["warm"] = _resident()
    return {
        "bytes": sum(len(document.encode()) for document in documents),
        "documents": len(documents),
        "load": loaded,
        "cold": cold,
        "warm": warm,
        "memory_mb": memory,
        "mismatches": mismatches,
    }


def _documents(job: Job) -> list[str]:
    documents = corpora.documents(job.corpus)
    if job.task == "encode_whole":
        return ["\n".join(documents)]
    if job.task in ("call_50", "call_1"):
        length = int(job.task.removeprefix("call_"))
        text = " ".join(documents)
        step = max(len(text) // CALLS, 1)
        return [text[at : at + length] for at in range(0, len(text) - length, step)][:CALLS]
    return documents


def _work(job: Job, encoder: Encoder, documents: list[str]) -> tuple[Callable[[], list[Any]], Pass]:
    """How to get all ids for the check, and the pass that is timed."""
    if job.task == "encode_batch":
        batch, split = _able(encoder.batch, job), encoder.split_batch
        return (lambda: split(batch(documents))), (lambda: batch(documents))
    if job.task in ("encode_lists", "call_50", "call_1"):
        listed = _able(encoder.listed, job)
        return (lambda: [listed(text) for text in documents]), _loop(listed, documents)
    line = _able(encoder.line, job)
    if job.task == "encode_lines":
        return (lambda: [encoder.to_array(line(text)) for text in documents]), _loop(line, documents)
    if job.task == "encode_whole":
        whole = encoder.whole or line
        return (lambda: [encoder.to_array(whole(text)) for text in documents]), _loop(whole, documents)
    return _decoding(job, encoder, documents)


def _decoding(job: Job, encoder: Encoder, documents: list[str]) -> tuple[Callable[[], list[Any]], Pass]:
    decode = _able(encoder.decode_array if job.task == "decode_arrays" else encoder.decode_list, job)
    line = _able(encoder.line, job)
    arrays = [np.asarray(encoder.to_array(line(text)), dtype=np.uint32) for text in documents]
    given: Sequence[Any] = arrays if job.task == "decode_arrays" else [ids.tolist() for ids in arrays]

    def decoded() -> list[Any]:
        wrong = sum(_text(decode(ids)) != text for ids, text in zip(given, documents, strict=True))
        if wrong:
            raise AssertionError(f"{wrong} of {len(documents)} documents do not come back")
        return arrays

    return decoded, _loop(decode, given)


def _text(decoded: str | bytes) -> str:
    return decoded if isinstance(decoded, str) else decoded.decode()


def _able(call: Callable[..., Any] | None, job: Job) -> Callable[..., Any]:
    if call is None:
        raise Unsupported(f"has no call for {job.task}")
    return call


def _loop(call: Callable[[Any], Any], inputs: Sequence[Any]) -> Pass:
    def one_pass() -> None:
        for each in inputs:
            call(each)

    return one_pass


def _timed(one_pass: Pass) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    one_pass()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def _check(job: Job, documents: list[str], ids: list[Any]) -> int | None:
    """How many documents have other ids than with the engine that is the measure; it writes them first."""
    kept = job.work / f"ids-{job.task}-{zlib.crc32(str(job.corpus).encode()):08x}.npy"
    sums = np.array([zlib.crc32(np.asarray(each, dtype="<u4").tobytes()) for each in ids], dtype=np.uint32)
    if job.reference:
        np.save(kept, sums)
        return 0
    if not kept.exists():
        return None
    expected = np.load(kept)
    if len(expected) != len(sums):
        return len(documents)
    return int((expected != sums).sum())


def _resident() -> float:
    """Megabytes of this process in memory now; where the system does not tell, the most so far."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def peak_memory() -> float:
    """The most megabytes that this process had in memory.

    What the system tells a parent of its child can be the parent's own memory at the time of the fork.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def job_of(text: str) -> Job:
    """The job that the parent wrote as JSON."""
    values = json.loads(text)
    for name in ("corpus", "work", "model", "ranks"):
        values[name] = Path(values[name]) if values.get(name) else None
    return Job(**values)
