"""The routes: which question of the page goes to which view."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from textgrain.exceptions import TextgrainError
from textgrain.explorer.guard import Guard
from textgrain.explorer.session import Question, Session
from textgrain.explorer.views import cut, distances, learn, numbers, overview, space, tour, training

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["make_app"]

STATIC = Path(__file__).parent / "static"

#: Questions by address. Each takes the session and the fields of the question by name.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "overview": overview.overview,
    "cut": cut.cut,
    "cut/tree": cut.tree,
    "cut/steps": cut.steps,
    "learn/examples": learn.examples,
    "learn/train": learn.train,
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
    "distances": distances.distances,
    "training/start": training.start,
    "training/state": training.state,
    "training/plane": training.plane,
    "training/stop": training.stop,
    "training/save": training.save,
    "tour": tour.tour,
    "tour/own": tour.own,
}


def make_app(session: Session, *, token: str, hosts: Iterable[str]) -> Starlette:
    """The application of one session, for whoever holds the token."""

    async def answer(request: Request) -> Response:
        question = QUESTIONS.get(request.path_params["question"])
        if question is None:
            return _refused("there is no such question", 404)
        try:
            fields = json.loads(await request.body() or b"{}")
        except ClientDisconnect:
            return _refused("the question is too long", 413)
        except (ValueError, RecursionError):
            return _refused("the question is not JSON that can be read", 400)
        if not isinstance(fields, dict):
            return _refused("the question is not a JSON object", 400)
        try:
            bound = _bind(question, session, fields)
            found = await run_in_threadpool(bound)
        except (Question, TextgrainError, ValueError) as reason:
            return _refused(str(reason), 422)
        return _response(found)

    async def page(_: Request) -> Response:
        index = STATIC / "index.html"
        if not index.exists():
            return Response("The page was not built; run `make web` in the source tree.", status_code=500)
        return FileResponse(index)

    routes = [
        Route("/api/{question:path}", answer, methods=["POST"]),
        Route("/", page),
        Mount("/assets", StaticFiles(directory=STATIC / "assets", check_dir=False)),
    ]
    middleware = [
        Middleware(Guard, token=token, hosts=list(hosts)),
        Middleware(GZipMiddleware, minimum_size=2048, compresslevel=3),
    ]
    return Starlette(routes=routes, middleware=middleware)


def _bind(question: Callable[..., Any], session: Session, fields: dict[str, Any]) -> Callable[[], Any]:
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


def _response(found: object) -> Response:
    if isinstance(found, np.ndarray):
        content = np.ascontiguousarray(found).tobytes()
        return Response(content, media_type="application/octet-stream")
    return JSONResponse(found)


def _refused(reason: str, status: int) -> Response:
    return JSONResponse({"error": reason}, status_code=status)
