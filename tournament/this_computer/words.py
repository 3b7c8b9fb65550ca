"""Describe recent failures and a wrong clock in plain words, and say what to do about them."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.backups.selectors import read_backup_state
from tournament.this_computer.selectors.state import (
    RunEvent,
    RunEventKind,
    TrafficStats,
    find_logged_outages,
    find_unclean_starts,
    load_failed_emails,
    load_failed_jobs,
    read_run_events,
)

FAILURE_PERIOD: Final = dt.timedelta(days=7)
"""The time for which the page *This computer* lists a failure."""
MAX_FAILURES: Final = 12

_PROCESS_FAILURES: Final[dict[str, Promise]] = {
    "web": gettext_lazy("The part that answers phones stopped unexpectedly. It was restarted."),
    "door": gettext_lazy("The part that helps phones trust the certificate stopped unexpectedly. It was restarted."),
    "reader": gettext_lazy("A part that makes pages stopped unexpectedly. It was restarted."),
    "writer": gettext_lazy("The part that records entries stopped unexpectedly. It was restarted."),
    "worker": gettext_lazy("The part that prints and makes backups stopped unexpectedly. It was restarted."),
    "broker": gettext_lazy("The queue for prints and backups stopped unexpectedly. It was restarted."),
    "link": gettext_lazy("The connection to the second laptop stopped unexpectedly. It was restarted."),
    "demo": gettext_lazy("The demo could not be loaded. The next start tries again."),
}
"""The message about a process that stopped unexpectedly, keyed by the kind of the process."""
_OUTAGES: Final[dict[str, Promise]] = {
    "The disk is full": gettext_lazy("The disk was full, and entries were refused. Delete files that you do not need."),
    "The database does not answer": gettext_lazy("The database did not answer, and pages asked to try again."),
}


MAX_CLOCK_DIFFERENCE_S: Final = 60
"""The largest difference between this computer's clock and those of the phones that is not reported, in seconds."""


def describe_clock_difference(traffic: TrafficStats | None) -> str:
    """Return a message if this computer's clock differs from those of the phones, or "" if it does not."""
    if traffic is None or not traffic.clocks or abs(traffic.clock_offset_s) <= MAX_CLOCK_DIFFERENCE_S:
        return ""
    minutes = round(abs(traffic.clock_offset_s) / 60)
    if traffic.clock_offset_s > 0:
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
    """A failure, described in one or two sentences. It happened `count` times, and the last time was `at`."""

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
        yield Failure(event.at, _("The program started without having been stopped. Perhaps the power failed."))
    for event in events:
        if event.kind is RunEventKind.PROCESS_ENDED:
            kind = str(event.about.get("process", "")).partition(".")[0]
            yield Failure(
                event.at,
                str(_PROCESS_FAILURES.get(kind, _("A part of the program stopped unexpectedly. It was restarted."))),
            )
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
    for mail in load_failed_emails(since):
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
