"""Read every request as UTF-8, no matter what its content type declares.

No page sends another encoding, and some declared encodings are not text encodings. Only the boundary of a form is left
in the content type, because Django uses other parameters before it can refuse them.
"""

from collections.abc import Callable
from typing import Any

Environ = dict[str, Any]


class ForceUtf8:
    """A WSGI callable in front of Django, which looks the encoding up before it can refuse anything."""

    def __init__(self, pages: Callable[..., Any]) -> None:
        self.pages = pages

    def __call__(self, environ: Environ, start_response: Any) -> Any:
        return self.pages(without_parameters(environ), start_response)


def without_parameters(environ: Environ) -> Environ:
    kind, *parameters = environ.get("CONTENT_TYPE", "").split(";")
    kept = [one for one in parameters if one.partition("=")[0].strip().lower() == "boundary"]
    return {**environ, "CONTENT_TYPE": ";".join([kind, *kept])} if len(kept) < len(parameters) else environ
