"""Preview an act, and apply exactly what was previewed.

A page shows what an act would change, and the user confirms it. Nothing is written if the act would by then change
something else. There are two ways to know what an act changes:

- `Preview` carries the act out and compares the event before and after it. Its `preview` rolls the act back.
- Where a selector knows the consequences in advance, the service compares them under its lock (`require_unchanged`).

`preview_digest` makes the value that a page sends back as `shown`.
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
    """The consequences of acts on an event. An act is any service function with its arguments bound.

    A subclass says in `watch` which consequences a page shows.
    """

    def __init__(self, event: Event) -> None:
        self.event = event

    @abstractmethod
    def watch(self) -> Callable[[], C]:
        """Read the event before an act. Return a function that compares the event after the act with it."""

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
        """Do the act if its consequences have the digest `shown`. A repeated request returns its first outcome.

        Raises:
            Conflict: `look-again` if something has changed since, or nothing was shown. Nothing is written then.
        """
        with transaction.atomic():
            version = lock_event(self.event)
            compare = self.watch()
            with trial_run():
                done = act()
                if Event.objects.values_list("version", flat=True).get(pk=self.event.pk) == version:
                    return done
                digest = compare().digest
            require_unchanged(shown, digest)
        return done


def preview_digest(*content: object) -> str:
    """Return a digest of exactly what a page shows, or an empty text if it shows nothing."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:32] if any(content) else ""


def require_unchanged(shown: object, now: object, message: object = HAS_CHANGED, code: str = "look-again") -> None:
    """Refuse if what the act concerns now is not what the page showed. `shown` is None if no page showed anything.

    Raises:
        Conflict: `look-again`, or `code`.
    """
    if shown is not None and shown != now:
        raise Conflict(code, str(message))


def require_override(warnings: Sequence[str], override: str, *, code: str = "improbable", **data: Any) -> None:
    """Refuse something improbable until the user has read the warnings and written why it is right.

    Raises:
        NeedsReason: `improbable`, or `code`.
    """
    if warnings and not override.strip():
        raise NeedsReason(code, " ".join(warnings), warnings=list(warnings), **data)
