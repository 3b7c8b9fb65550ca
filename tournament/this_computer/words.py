"""Describe in plain words what failed lately, whether the clock is wrong, and what to do about it."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.backups.selectors import read_backup_state
from tournament.this_computer.selectors.state import (
    FrontFigures,
    RunEvent,
    RunEventKind,
    find_logged_outages,
    find_unclean_starts,
    load_failed_jobs,
    load_refused_mails,
    read_run_events,
)

FAILURE_PERIOD: Final = dt.timedelta(days=7)
"""How long the page *This computer* lists a failure."""
MAX_FAILURES: Final = 12

_PARTS: Final[dict[str, Promise]] = {
    "web": gettext_lazy("The part that answers phones ended unexpectedly. It was started again."),
    "door": gettext_lazy("The page about the hall’s certificate ended unexpectedly. It was started again."),
    "reader": gettext_lazy("A part that makes pages ended unexpectedly. It was started again."),
    "writer": gettext_lazy("The part that records entries ended unexpectedly. It was started again."),
    "worker": gettext_lazy("The part that prints and makes backups ended unexpectedly. It was started again."),
    "broker": gettext_lazy("The queue for prints and backups ended unexpectedly. It was started again."),
    "link": gettext_lazy("The connection to the second laptop ended unexpectedly. It was started again."),
    "demo": gettext_lazy("Loading the demo failed. It is tried again at the next start."),
}
"""A sentence for each kind of process that can end."""
_OUTAGES: Final[dict[str, Promise]] = {
    "The disk is full": gettext_lazy("The disk was full, and entries were refused. Delete files that you do not need."),
    "The database does not answer": gettext_lazy("The database did not answer, and pages asked to try again."),
}


MAX_CLOCK_DIFFERENCE_S: Final = 60
"""A difference between the clocks of this computer and of the phones that is not worth a word, in seconds."""


def describe_clock_difference(front: FrontFigures | None) -> str:
    """Return a sentence if this computer's clock differs from those of the phones, or "" if it does not."""
    if front is None or not front.clocks or abs(front.clock_offset_s) <= MAX_CLOCK_DIFFERENCE_S:
        return ""
    minutes = round(abs(front.clock_offset_s) / 60)
    if front.clock_offset_s > 0:
        text = ngettext(
            "This computer’s clock is %(count)s minute behind the phones. Correct it in the system’s settings.",
            "This computer’s clock is %(count)s minutes behind the phones. Correct it in the system’s settings.",
            minutes,
        )
    else:
        text = ngettext(
            "This computer’s clock is %(count)s minute ahead of the phones. Correct it in the system’s settings.",
            "This computer’s clock is %(count)s minutes ahead of the phones. Correct it in the system’s settings.",
            minutes,
        )
    return text % {"count": minutes}


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that failed, in one or two sentences. It failed `count` times, the last time at `at`."""

    at: dt.datetime
    text: str
    count: int = 1


def load_failures(now: dt.datetime) -> list[Failure]:
    """Return what failed within the last `FAILURE_PERIOD`, newest first."""
    since = now - FAILURE_PERIOD
    failures = [*_iter_run_failures(), *_iter_database_failures(since), *_iter_backup_failures()]
    failures += [Failure(at, str(_OUTAGES[what])) for at, what in find_logged_outages()]
    latest: dict[str, Failure] = {}
    for failure in sorted(failures, key=lambda failure: failure.at):
        if failure.at >= since:
            earlier = latest.get(failure.text)
            latest[failure.text] = replace(failure, count=earlier.count + 1) if earlier else failure
    return sorted(latest.values(), key=lambda failure: failure.at, reverse=True)[:MAX_FAILURES]


def _iter_run_failures() -> Iterator[Failure]:
    events = read_run_events()
    for event in find_unclean_starts(events):
        yield Failure(event.at, _("The program started again after it had not been stopped: perhaps the power failed."))
    for event in events:
        if event.kind is RunEventKind.PROCESS_ENDED:
            kind = str(event.about.get("process", "")).partition(".")[0]
            yield Failure(event.at, str(_PARTS.get(kind, _("A part of the program ended. It was started again."))))
        elif event.kind is RunEventKind.CLOCK_JUMPED:
            yield Failure(event.at, _describe_clock_jump(event))


def _describe_clock_jump(event: RunEvent) -> str:
    seconds = int(event.about.get("seconds", 0))
    minutes = max(1, round(abs(seconds) / 60))
    if seconds > 0:
        text = ngettext(
            "This computer slept, or its clock was set forward, by %(count)s minute.",
            "This computer slept, or its clock was set forward, by %(count)s minutes.",
            minutes,
        )
    else:
        text = ngettext(
            "This computer’s clock was set back by %(count)s minute.",
            "This computer’s clock was set back by %(count)s minutes.",
            minutes,
        )
    return text % {"count": minutes}


def _iter_database_failures(since: dt.datetime) -> Iterator[Failure]:
    for job in load_failed_jobs(since):
        text = _("“%(title)s” could not be made. %(message)s") % {"title": job.words, "message": job.message}
        yield Failure(job.changed_at, text.strip())
    for mail in load_refused_mails(since):
        text = ngettext(
            "%(count)s email “%(subject)s” could not be sent. Open Messages to see why.",
            "%(count)s emails “%(subject)s” could not be sent. Open Messages to see why.",
            mail["count"],
        )
        yield Failure(mail["at"], text % mail)


def _iter_backup_failures() -> Iterator[Failure]:
    state = read_backup_state()
    if state.failure and state.failed_at:
        yield Failure(state.failed_at, _("The last backup failed. %(why)s") % {"why": state.failure})
    if state.copy_failure and state.copy_failed_at:
        yield Failure(
            state.copy_failed_at, _("The last backup could not be copied. %(why)s") % {"why": state.copy_failure}
        )
