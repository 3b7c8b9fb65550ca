"""Preview an action, and apply exactly what was previewed.

A page shows what an action would change, and the user confirms it. If its consequences have changed in the meantime,
nothing is written. There are two ways to determine the consequences:

- `Preview` performs the action and compares the event before and after. Its `preview` method rolls the action back.
- If a selector can compute the consequences in advance, the service compares them under its lock (`require_unchanged`).

The page submits the digest of what it showed (`compute_preview_digest`) as `shown`.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournament.core.cached import disable_persistent_cache
from tournament.core.services.record import lock_event
from tournament.errors import Conflict, ReasonRequired
from tournament.models import Event

CHANGED_SINCE_PREVIEW_MESSAGE: Final = _(
    "Something has changed since you looked. Read the changes again, then confirm."
)


class _Consequences(Protocol):
    @property
    def digest(self) -> str:
        """A digest of exactly what the page shows to the user."""


_C = TypeVar("_C", bound=_Consequences)
_T = TypeVar("_T")


class Preview(ABC, Generic[_C]):
    """Computes the consequences of actions on an event. An action is a service function with its arguments bound.

    The `start_comparison` method of a subclass determines which consequences are shown.
    """

    def __init__(self, event: Event) -> None:
        self.event = event

    @abstractmethod
    def start_comparison(self) -> Callable[[], _C]:
        """Read the event before an action. Return a function that reads it again and returns the differences."""

    def preview(self, act: Callable[[], object]) -> _C:
        """Return what the action would change, without writing anything. Errors raised by the action are not caught."""
        with transaction.atomic():
            lock_event(self.event)
            compare = self.start_comparison()
            with disable_persistent_cache():
                act()
                consequences = compare()
            transaction.set_rollback(True)
        return consequences

    def apply(self, act: Callable[[], _T], *, shown: str) -> _T:
        """Perform the action if its consequences still have the digest `shown`.

        An action that only repeats an earlier request changes nothing, and its digest is not checked.

        Raises:
            Conflict: `look-again` if the consequences have changed or no preview was shown. Nothing is written.
        """
        with transaction.atomic():
            version = lock_event(self.event)
            compare = self.start_comparison()
            with disable_persistent_cache():
                result = act()
                if Event.objects.values_list("version", flat=True).get(pk=self.event.pk) == version:
                    return result
                digest = compare().digest
            require_unchanged(shown, digest)
        return result


def compute_preview_digest(*content: object) -> str:
    """Return a digest of exactly what a page shows, or "" if it shows nothing."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:32] if any(content) else ""


def require_unchanged(
    shown: object, current: object, message: object = CHANGED_SINCE_PREVIEW_MESSAGE, code: str = "look-again"
) -> None:
    """Raise Conflict with this code if the current value differs from the one that the page showed.

    `shown` is None if the page showed no value.
    """
    if shown is not None and shown != current:
        raise Conflict(code, str(message))


def require_override(warnings: Sequence[str], override: str, *, code: str = "improbable", **data: Any) -> None:
    """Raise ReasonRequired with the warnings, unless the user has explained why the improbable input is correct."""
    if warnings and not override.strip():
        raise ReasonRequired(code, " ".join(warnings), warnings=list(warnings), **data)
