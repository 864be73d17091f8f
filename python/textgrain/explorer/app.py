"""The routes: which question of the page goes to which view."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

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
from textgrain.explorer.questions import QUESTIONS, bind
from textgrain.explorer.session import Question

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textgrain.explorer.session import Session

__all__ = ["make_app"]

STATIC = Path(__file__).parent / "static"


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
            bound = bind(question, session, fields)
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


def _response(found: object) -> Response:
    if isinstance(found, np.ndarray):
        content = np.ascontiguousarray(found).tobytes()
        # Numbers hardly get smaller, and packing them would take longer than the way to this machine.
        unpacked = {"content-encoding": "identity"}
        return Response(content, media_type="application/octet-stream", headers=unpacked)
    return JSONResponse(found)


def _refused(reason: str, status: int) -> Response:
    return JSONResponse({"error": reason}, status_code=status)
