"""Mark the pages that take files. `LargestBodyMiddleware` enforces their limits before it receives anything."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.conf import settings

from tournament.intake.limits import Limits

View = TypeVar("View", bound=Callable[..., Any])
MARK: Final = "largest_body"


def takes_files(limits: Limits) -> Callable[[View], View]:
    """Mark a page as taking files of this kind. All other pages take form fields only."""

    def marked(view: View) -> View:
        setattr(view, MARK, limits.largest_body)
        return view

    return marked


def largest_body(view: Any) -> int:
    return int(getattr(view, MARK, settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
