"""The figures of a result, and the table of them in a terminal."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.passes import CALLS
from benchmarks.tasks import OURS

#: A process on one thread whose CPU time is less than this share of its wall time was not alone.
ALONE = 0.95


@dataclass(frozen=True)
class Row:
    """What a table says of one engine; rates are megabytes a second, or microseconds for a call."""

    engine: str
    version: str
    #: The figure that engines are compared by, and its smallest and largest value.
    value: float
    low: float
    high: float
    #: The same for the first pass of a fresh process; None for tasks that are done once.
    cold: float | None
    memory_mb: float
    ratio: float
    shared: bool
    proof: str
    #: The level of processor that it said it was on.
    simd: str | None = None
    #: The median time of training alone, where a library lets one see it, and the peer's over ours.
    training: float | None = None
    training_ratio: float | None = None


def rows(result: dict[str, Any]) -> list[Row]:
    """One row an engine, ours first; the ratio says how many times better ours is."""
    made = {engine: _row(engine, measured, result) for engine, measured in result["engines"].items()}
    ours = made.get(OURS)
    best_first = sorted(made.values(), key=lambda row: (row.engine != _short(OURS), _cost(row, result)))
    if ours is None:
        return best_first
    return [_with_ratio(row, ours, result) for row in best_first]


def unit(result: dict[str, Any]) -> str:
    if not result["passes"]:
        return "s"
    return "us/call" if result["latency"] else "MB/s"


def show(result: dict[str, Any]) -> None:
    corpus = result["corpus"]
    print(f"\n{result['title']}; {corpus['name']}, {corpus['bytes'] / 1e6:.1f} MB", end="")
    print(f"; {result['threads']} thread{'s' if result['threads'] > 1 else ''}", end="")
    print(f"; {result['model']}" if result["model"] else "")
    head = f"  {'':<32}{unit(result):>9}{'min-max':>18}{'first':>9}{'ours':>8}{'MB':>7}"
    print(head + "  proof")
    for row in rows(result):
        name = name_of(row)
        cold = f"{row.cold:.4g}" if row.cold is not None else ""
        spread = f"{row.low:.4g}-{row.high:.4g}"
        line = (
            f"  {name[:32]:<32}{row.value:>9.4g}{spread:>18}{cold:>9}{row.ratio:>7.2f}x{row.memory_mb:>7.0f}"
        )
        print(f"{line}  {training_note(row)}{row.proof}{' (shared the machine)' if row.shared else ''}")
    if not result["equal"]:
        print("  ^ the results are NOT equal: the figures above cannot be compared")


def name_of(row: Row) -> str:
    """The engine, its version, and the level of processor that it said it was on."""
    return " ".join(part for part in (row.engine, row.version, row.simd) if part)


def training_note(row: Row) -> str:
    """How long training alone took, in words."""
    if row.training is None:
        return ""
    ratio = "" if row.training_ratio is None else f" ({row.training_ratio:.2f}x)"
    return f"training {row.training:.3g}{ratio}, "


def limits_line(limits: dict[str, float]) -> str:
    """What the machine can do at best, in words."""
    return (
        f"one processor here: {limits['GFLOP/s']:.0f} GFLOP/s in a product of matrices, "
        f"{limits['GB/s']:.1f} GB/s read and written in a copy"
    )


def _row(engine: str, measured: list[dict[str, Any]], result: dict[str, Any]) -> Row:
    # On one thread the processor time counts, which other programs disturb less than the clock.
    clock = "cpu" if result["threads"] == 1 else "wall"
    if result["passes"]:
        warm = [_figure(one[clock], measured[0], result) for row in measured for one in row["warm"]]
        cold = statistics.median(_figure(row["cold"][clock], row, result) for row in measured)
        times = [one for row in measured for one in [row["cold"], *row["warm"]]]
        memory = statistics.median(row["memory_mb"]["warm"] for row in measured)
    else:
        warm, cold = [row["seconds"] for row in measured], None
        times = [row["process"] for row in measured]
        memory = statistics.median(row["peak_mb"] for row in measured)
    shared = result["threads"] == 1 and sum(one["cpu"] for one in times) < ALONE * sum(
        one["wall"] for one in times
    )
    version = str(measured[0]["version"]).split()[0]
    value = statistics.median(warm)
    proof = _proof(_mean_scores(measured))
    training = [row["training"] for row in measured if "training" in row]
    return Row(
        _short(engine),
        version,
        value,
        min(warm),
        max(warm),
        cold,
        memory,
        1.0,
        shared,
        proof,
        measured[0].get("simd"),
        statistics.median(training) if training else None,
    )


def _mean_scores(measured: list[dict[str, Any]]) -> dict[str, Any]:
    """The last measurement, with the mean over all of each fact that is a score."""
    last = measured[-1]
    if "facts" not in last:
        return last
    means = {
        name: statistics.fmean(row["facts"][name] for row in measured)
        for name, value in last["facts"].items()
        if isinstance(value, float)
    }
    return last | {"facts": last["facts"] | means}


def _figure(seconds: float, row: dict[str, Any], result: dict[str, Any]) -> float:
    if result["latency"]:
        return seconds / min(row["documents"], CALLS) * 1e6
    return row["bytes"] / 1e6 / seconds if seconds else float("inf")


def _proof(row: dict[str, Any]) -> str:
    if "facts" in row:
        facts = row["facts"].items()
        return ", ".join(
            f"{key} {value:.1f}" if isinstance(value, float) else f"{key} {value}" for key, value in facts
        )
    if row["mismatches"] is None:
        return "ids not compared"
    return f"{row['mismatches']} of {row['documents']} documents differ" if row["mismatches"] else "ids equal"


def _cost(row: Row, result: dict[str, Any]) -> float:
    return -row.value if unit(result) == "MB/s" else row.value


def _with_ratio(row: Row, ours: Row, result: dict[str, Any]) -> Row:
    faster = unit(result) == "MB/s"
    ratio = ours.value / row.value if faster else row.value / ours.value
    seen = ours.training is not None and row.training is not None
    training_ratio = row.training / ours.training if seen and row is not ours else None
    return replace(row, ratio=ratio, training_ratio=training_ratio)


def _short(engine: str) -> str:
    return engine.removesuffix("_engine")
