"""Who may ask: only pages that this server itself gave out, opened with the token of this run.

A server on the own machine can be reached by every page in the browser. So each call must carry the token,
which only the address printed at the start holds; its `Host` must be a name of this machine, so that another
site cannot point its own name here (DNS rebinding); and its `Origin`, if it has one, must be this server.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, QueryParams
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["TOKEN_HEADER", "Guard"]

TOKEN_HEADER = "x-textgrain-token"
#: Bytes of a request; a text of a few megabytes is the largest that the page sends.
LARGEST_BODY = 8 << 20

_SAFETY = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        b"connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Refuses what did not come from the page; adds the headers that keep others out of it."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str], protected: str = "/api/") -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset(hosts)
        self._protected = protected

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_SAFETY]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            response = PlainTextResponse(refusal[1], status_code=refusal[0])
            await response(scope, receive, send_safely)
            return
        await self._app(scope, _bounded(receive), send_safely)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return 421, "This server answers only to the name of this machine."
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return 403, "This request comes from another site."
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "This request comes from another site."
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > LARGEST_BODY:
            return 413, f"A request must have at most {LARGEST_BODY} bytes."
        if not scope["path"].startswith(self._protected):
            return None
        given = headers.get(TOKEN_HEADER) or QueryParams(scope["query_string"]).get("token") or ""
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return 403, "The token is missing or wrong. Open the address that was printed at the start."
        return None


def _bounded(receive: Receive) -> Receive:
    """Bound a body whose length was not announced."""
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        if message["type"] == "http.request":
            read += len(message.get("body", b""))
            if read > LARGEST_BODY:
                return {"type": "http.disconnect"}
        return message

    return bounded
