"""The plain HTTP server next to an HTTPS site. Its only page helps users trust the site's certificate on their phones.

Every URL shows this page. It links to the HTTPS site and never redirects.
"""

from config.asgi import application as site
from tournament.core.live import AsgiMessage, AsgiReceive, AsgiSend

_OPEN_PATHS = ("/trust/", "/static/")


async def application(scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
    if scope["type"] == "http" and not scope["path"].startswith(_OPEN_PATHS):
        scope = {**scope, "path": "/trust/", "raw_path": b"/trust/", "query_string": b""}
    await site(scope, receive, send)
