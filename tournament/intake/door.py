"""How much each page takes: said at the page, held by `LargestBodyMiddleware` before anything is received."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.conf import settings

from tournament.intake.limits import Limits

View = TypeVar("View", bound=Callable[..., Any])
MARK: Final = "largest_body"


def takes_files(limits: Limits) -> Callable[[View], View]:
    """Say of a page that files of this kind are sent to it; all others take only what is typed."""

    def marked(view: View) -> View:
        setattr(view, MARK, limits.largest_body)
        return view

    return marked


def largest_body(view: Any) -> int:
    return int(getattr(view, MARK, settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
