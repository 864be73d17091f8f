"""What a page or a widget may ask, and how a question is checked before a view answers it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from textgrain.explorer.session import Question
from textgrain.explorer.views import cut, distances, layout, learn, numbers, overview, space, tour, training

if TYPE_CHECKING:
    from collections.abc import Callable

    from textgrain.explorer.session import Session

__all__ = ["QUESTIONS", "bind"]

#: Questions by address. Each takes the session and the fields of the question by name.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "overview": overview.overview,
    "cut": cut.cut,
    "cut/tree": cut.tree,
    "cut/steps": cut.steps,
    "learn/examples": learn.examples,
    "learn/train": learn.train,
    "learn/replay": learn.replay,
    "learn/ready": learn.ready,
    "learn/state": learn.state,
    "learn/records": learn.records,
    "learn/sizes": learn.sizes,
    "numbers/strip": numbers.strip,
    "numbers/rows": numbers.rows,
    "space/points": space.points,
    "space/words": space.words,
    "space/complete": space.complete,
    "space/neighbors": space.neighbors,
    "space/analogy": space.analogy,
    "space/axis": space.axis,
    "space/column": space.column,
    "space/lengths": space.lengths,
    "space/scaled": space.scaled,
    "space/layout/start": layout.start,
    "space/layout/state": layout.state,
    "space/layout/points": layout.points,
    "space/layout/stop": layout.stop,
    "distances": distances.distances,
    "training/start": training.start,
    "training/state": training.state,
    "training/plane": training.plane,
    "training/stop": training.stop,
    "training/save": training.save,
    "tour": tour.tour,
    "tour/own": tour.own,
}


def bind(question: Callable[..., Any], session: Session, fields: dict[str, Any]) -> Callable[[], Any]:
    """The call that answers, with the fields checked against what the question takes."""
    parameters = list(inspect.signature(question).parameters.values())
    known = {parameter.name for parameter in parameters[1:]}
    unknown = sorted(fields.keys() - known)
    if unknown:
        raise Question(f"the question takes no {unknown[0]!r}")
    missing = [
        parameter.name
        for parameter in parameters[1:]
        if parameter.default is inspect.Parameter.empty and parameter.name not in fields
    ]
    if missing:
        raise Question(f"the question needs {missing[0]!r}")
    for parameter in parameters[1:]:
        if parameter.name in fields:
            _check(parameter, fields[parameter.name])
    return lambda: question(session, **fields)


#: What JSON holds for each kind of field; views annotate their parameters with these texts.
_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "list[str]": (list,),
    "list[int]": (list,),
    "list[list[str]]": (list,),
    "dict[str, int]": (dict,),
    "dict[str, Any]": (dict,),
}


def _check(parameter: inspect.Parameter, value: object) -> None:
    kind = str(parameter.annotation).removesuffix(" | None")
    if value is None and str(parameter.annotation).endswith("| None"):
        return
    expected = _KINDS[kind]
    wrong_flag = isinstance(value, bool) and bool not in expected
    element = {"list[str]": str, "list[int]": int, "list[list[str]]": list}.get(kind)
    wrong_element = element is not None and not all(isinstance(each, element) for each in value)  # type: ignore[attr-defined]
    if wrong_flag or not isinstance(value, expected) or wrong_element:
        raise Question(f"{parameter.name!r} must be of the kind {kind}")
