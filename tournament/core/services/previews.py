"""Preview an act, and apply exactly what was previewed.

A page shows what an act would change, and the user confirms it. If the act would change something else by then,
nothing is written. There are two ways to find out what an act changes:

- `Preview` performs the act and compares the event before and after. Its `preview` method rolls the act back.
- If a selector knows the consequences in advance, the service compares them under its lock (`require_unchanged`).

A page sends the digest of what it showed (`preview_digest`) back as `shown`.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournament.core.cached import trial_run
from tournament.core.services.record import lock_event
from tournament.errors import Conflict, NeedsReason
from tournament.models import Event

HAS_CHANGED: Final = _("Something has changed since you looked. Read the changes again, then confirm.")


class _Consequences(Protocol):
    @property
    def digest(self) -> str:
        """A digest of exactly what the page shows."""


C = TypeVar("C", bound=_Consequences)
T = TypeVar("T")


class Preview(ABC, Generic[C]):
    """Computes the consequences of acts on an event. An act is a service function with its arguments bound.

    The `watch` method of a subclass determines which consequences a page shows.
    """

    def __init__(self, event: Event) -> None:
        self.event = event

    @abstractmethod
    def watch(self) -> Callable[[], C]:
        """Read the event before an act. Return a function that reads it again and returns the differences."""

    def preview(self, act: Callable[[], object]) -> C:
        """Return what the act would change, without writing anything. Errors of the act pass through."""
        with transaction.atomic():
            lock_event(self.event)
            compare = self.watch()
            with trial_run():
                act()
                consequences = compare()
            transaction.set_rollback(True)
        return consequences

    def apply(self, act: Callable[[], T], *, shown: str) -> T:
        """Perform the act if its consequences still have the digest `shown`. Repeating a request changes nothing.

        Raises:
            Conflict: `look-again` if something has changed, or nothing was shown. Nothing is written.
        """
        with transaction.atomic():
            version = lock_event(self.event)
            compare = self.watch()
            with trial_run():
                result = act()
                if Event.objects.values_list("version", flat=True).get(pk=self.event.pk) == version:
                    return result
                digest = compare().digest
            require_unchanged(shown, digest)
        return result


def preview_digest(*content: object) -> str:
    """Return a digest of exactly what a page shows, or "" if the page shows nothing."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:32] if any(content) else ""


def require_unchanged(shown: object, current: object, message: object = HAS_CHANGED, code: str = "look-again") -> None:
    """Raise Conflict with this code if the current value is not the one that a page showed.

    `shown` is None if no page showed anything.
    """
    if shown is not None and shown != current:
        raise Conflict(code, str(message))


def require_override(warnings: Sequence[str], override: str, *, code: str = "improbable", **data: Any) -> None:
    """Raise NeedsReason with the warnings, unless the user has written why the improbable input is right."""
    if warnings and not override.strip():
        raise NeedsReason(code, " ".join(warnings), warnings=list(warnings), **data)
