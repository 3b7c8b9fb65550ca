"""By plain http beside the site that speaks https: the page that helps a phone to trust it, and nothing else.

This page answers at every address: it says where the site is, and leads nobody on unasked.
"""

from config.asgi import application as site
from tournament.core.live import Message, Receive, Send

_OPEN = ("/trust/", "/static/")


async def application(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "http" and not scope["path"].startswith(_OPEN):
        scope = {**scope, "path": "/trust/", "raw_path": b"/trust/", "query_string": b""}
    await site(scope, receive, send)
