"""Starting and stopping the server."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import webbrowser
from typing import TYPE_CHECKING, final

from textgrain.exceptions import TextgrainError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import uvicorn

    from textgrain.explorer.session import Session

__all__ = ["Explorer", "explore"]

_HOST = "127.0.0.1"


@final
class Explorer:
    """A running explorer; a context manager that stops it."""

    def __init__(self, server: uvicorn.Server, bound: socket.socket, token: str, session: Session) -> None:
        self._server = server
        self._session = session
        port = bound.getsockname()[1]
        self._url = f"http://{_HOST}:{port}/?token={token}"
        self._thread = threading.Thread(
            target=server.run, kwargs={"sockets": [bound]}, name="textgrain explorer", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the page, with the token of this run."""
        return self._url

    def wait(self) -> None:
        """Wait until the explorer is stopped, or Ctrl-C stops it."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        """Stop the server, and what it does in the background."""
        self._session.close()
        self._server.should_exit = True
        self._thread.join(5)

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Explorer at {self._url}>"


def explore(
    *artifacts: object,
    folders: Iterable[str | Path] = (),
    port: int = 0,
    open_browser: bool = True,
) -> Explorer:
    """Show tokenizers, word vectors and corpora on a local page, and return the running server.

    The page can be reached from this machine only, and only with the token in its address.

    Parameters
    ----------
    *artifacts : Tokenizer, WordVectors, Corpus, or mapping of names to them
        What to show; a guided tour with small examples is always there.
    folders : paths
        Folders below which the page may read text for a training and save its result.
    port : int
        Of the server; 0 takes a free one.
    open_browser : bool
        Open the page in the browser of the system.

    Raises
    ------
    TextgrainError
        The packages of the `explore` extra are not installed, or the port is taken.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(merges=10).train(["low lower lowest"])
    >>> with tg.explore(tokenizer, open_browser=False) as explorer:  # doctest: +SKIP
    ...     explorer.url
    'http://127.0.0.1:52713/?token=…'
    """
    try:
        import uvicorn

        from textgrain.explorer.app import make_app
    except ModuleNotFoundError as missing:
        raise TextgrainError(
            f"the explorer needs {missing.name}; install it with `pip install 'textgrain[explore]'`"
        ) from None
    from textgrain.explorer.session import Session

    session = Session.of(artifacts, folders)
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        # A port of which connections are still being closed can be taken; on Windows this would mean sharing.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((_HOST, port))
        # From here on the system keeps whoever calls before the server is ready waiting.
        bound.listen()
    except OSError as taken:
        bound.close()
        raise TextgrainError(f"port {port} cannot be used: {taken.strerror}; choose another one") from None
    number = bound.getsockname()[1]
    token = secrets.token_urlsafe(24)
    app = make_app(session, token=token, hosts=[f"{_HOST}:{number}", f"localhost:{number}"])
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    explorer = Explorer(server, bound, token, session)
    if open_browser:
        webbrowser.open(explorer.url)
    return explorer
