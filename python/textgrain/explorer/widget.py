"""Cut and Map in a cell of a notebook: the views of the page, which ask the kernel in place of a server."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.exceptions import TextgrainError
from textgrain.explorer.questions import QUESTIONS, bind
from textgrain.explorer.session import Question

if TYPE_CHECKING:
    from textgrain.explorer.session import Session

__all__ = ["widget"]

STATIC = Path(__file__).parent / "static"
#: The views that fit into a cell, each with the first part of the questions that it asks.
VIEWS = {"cut": "cut", "map": "space"}


def widget(session: Session, view: str, settings: dict[str, str]) -> Any:  # noqa: ANN401 - anywidget may be absent
    """Make the widget of one view.

    Raises
    ------
    TextgrainError
        anywidget is not installed, or the package was installed from sources without its page.
    """
    return _widget_class()(session, view, settings)


@lru_cache(maxsize=1)
def _widget_class() -> Any:  # noqa: ANN401 - a class of a library that may be absent
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as missing:
        raise TextgrainError(
            f"a widget needs {missing.name}; install it with `pip install 'textgrain[notebook]'`, or show "
            "the same on a page of its own with `textgrain.explore`"
        ) from None
    script = STATIC / "widget.js"
    if not script.exists():
        raise TextgrainError("the widget was not built; run `make web` in the source tree")

    class ExplorerWidget(anywidget.AnyWidget):
        """One view of the explorer."""

        _esm = script.read_text(encoding="utf-8")
        view = traitlets.Unicode(read_only=True).tag(sync=True)
        #: The text, the word, and whatever else the view is set to; what is changed there comes back here.
        settings = traitlets.Dict().tag(sync=True)

        def __init__(self, session: Session, view: str, settings: dict[str, str]) -> None:
            super().__init__(settings=settings)
            self.set_trait("view", view)
            self._session = session
            self.on_msg(self._asked)

        def _asked(self, _: object, content: Any, __: object) -> None:  # noqa: ANN401 - as the browser sent it
            reply, buffers = answer(self._session, self.view, content)
            self.send(reply, buffers)

    return ExplorerWidget


def answer(session: Session, view: str, content: Any) -> tuple[dict[str, Any], list[bytes]]:  # noqa: ANN401
    """The reply to one message: what was found as JSON or as a buffer of numbers, or why there is nothing."""
    if not isinstance(content, dict):
        return {"error": "the question is not an object"}, []
    number = content.get("id")
    try:
        found = _found(session, view, content)
    except (Question, TextgrainError, ValueError) as reason:
        return {"id": number, "error": str(reason)}, []
    if isinstance(found, np.ndarray):
        return {"id": number}, [found.tobytes()]
    return {"id": number, "answer": found}, []


def _found(session: Session, view: str, content: dict[str, Any]) -> Any:  # noqa: ANN401 - as the view answers
    name, fields = content.get("question"), content.get("fields")
    if not isinstance(name, str) or not isinstance(fields, dict):
        raise Question("a question needs a name and its fields")
    if name not in QUESTIONS or name.split("/")[0] not in ("overview", VIEWS[view]):
        raise Question(f"there is no question {name!r} here")
    return bind(QUESTIONS[name], session, fields)()
