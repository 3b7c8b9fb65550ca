"""The plain http server beside an https site, with only the page that helps phones trust the certificate.

It answers with this page at every address. The page tells where the site is, and redirects nobody.
"""

from config.asgi import application as site
from tournament.core.live import Message, Receive, Send

_OPEN = ("/trust/", "/static/")


async def application(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "http" and not scope["path"].startswith(_OPEN):
        scope = {**scope, "path": "/trust/", "raw_path": b"/trust/", "query_string": b""}
    await site(scope, receive, send)
