"""Every request is read as UTF-8, no matter what it says: no page sends another encoding, and some are of no text at
all.

Of its content type only the boundary of a form is kept: Django decodes what else is there before it can refuse it.
"""

from collections.abc import Callable
from typing import Any

Environ = dict[str, Any]


class ReadAsUtf8:
    """Before Django, which looks the encoding up before it can refuse anything."""

    def __init__(self, pages: Callable[..., Any]) -> None:
        self.pages = pages

    def __call__(self, environ: Environ, start_response: Any) -> Any:
        return self.pages(without_parameters(environ), start_response)


def without_parameters(environ: Environ) -> Environ:
    kind, *parameters = environ.get("CONTENT_TYPE", "").split(";")
    kept = [one for one in parameters if one.partition("=")[0].strip().lower() == "boundary"]
    return {**environ, "CONTENT_TYPE": ";".join([kind, *kept])} if len(kept) < len(parameters) else environ
