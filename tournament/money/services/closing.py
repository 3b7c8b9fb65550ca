"""The close of a business day: one member of staff counts and signs, and another one signs and closes the day.

A director can reopen a day that was closed by mistake. Both signers are notified, and the day is closed again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.translation import gettext as _

from tournament.core.dispatch import after_commit_task
from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import DayClose, DayCount, DayOpened, DayReopened, Movement, Tournament
from tournament.money.selectors.closing import METHODS, counted_of, expected_of, load_figures, load_open_report
from tournament.money.selectors.days import closed_through, current_day, last_count, last_day_begun, venue_date
from tournament.money.selectors.drawers import CASH, open_drawers
from tournament.money.services.drawers import (
    Pieces,
    add_difference,
    clean_pieces,
    refuse_unexplained,
    writing_at_desk,
)
from tournament.money.services.posting import refuse_closed_day
from tournament.purse.ledger.counted import CountedCash, count_cash
from tournament.templatetags.gin import day_in_year


def open_day(tournament: Tournament, day: date, *, by: Actor, key: str = "") -> DayOpened:
    """Choose the business day for money recorded from now on, such as yesterday after midnight, or the next day.

    Raises:
        Conflict: `day-closed`.
        DomainError: `bad-value` for any other day.
    """
    require(by, "direct", tournament)
    with writing(tournament, verb="day.opened", by=by, key=scoped_key(key, day)) as write:
        if write.repeated:
            return DayOpened.objects.get(pk=write.outcome["opened"])
        today = venue_date(tournament, write.at)
        last = closed_through(tournament)
        following = max(today, last) + timedelta(days=1) if last is not None else today + timedelta(days=1)
        if not today - timedelta(days=1) <= day <= following:
            said = _("Choose yesterday, today or the next day that is open.")
            raise DomainError("bad-value", said, field="day")
        refuse_closed_day(day, last)
        row = DayOpened.objects.create(tournament=tournament, day=day, **write.fact_fields())
        write.keep("days_opened", row)
        write.about(day, opened=row.pk)
        return row


@dataclass(frozen=True, slots=True)
class NightCount:
    """The counted bills and coins, and the counted cents of each other method."""

    pieces: Pieces
    others: Mapping[str, int]


def count_day(
    tournament: Tournament, day: date, count: NightCount, *, by: Actor, key: str, reason: str = ""
) -> DayCount:
    """Record what was counted at night, as the first signature of the close.

    Raises:
        Conflict: `day-closed`, `drawer-open`.
        DomainError: `bad-value`, `reason-needed`.
    """
    require(by, "desk", tournament)
    pieces = clean_pieces(count.pieces, tournament)
    others = {method: int(count.others.get(method, 0)) for method in METHODS if method != CASH}
    key = scoped_key(key, day, sorted(pieces.items()), sorted(others.items()))
    with writing_at_desk(tournament, verb="day.counted", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return DayCount.objects.get(pk=write.outcome["count"])
        _refuse_day(write, day)
        expected = expected_of(load_open_report(tournament, day))
        counted = {CASH: count_cash(pieces), **others}
        refuse_unexplained(
            [CountedCash(one, expected[one], counted[one]) for one in METHODS], reason, tournament.currency
        )
        row = DayCount.objects.create(
            tournament=tournament,
            day=day,
            pieces={str(cents): number for cents, number in pieces.items()},
            counted=counted,
            expected=expected,
            **write.signature_fields(),
        )
        write.keep("day_counts", row)
        write.about(day, count=row.pk, cents=counted[CASH])
        return row


def close_day(count: DayCount, *, by: Actor, key: str = "") -> DayClose:
    """Sign a count as the second member of staff, record its differences, and close the day.

    Raises:
        Conflict: `day-closed`, `drawer-open`, `same-person`, or `changed-since-count`.
    """
    tournament = count.tournament
    require(by, "desk", tournament)
    with writing_at_desk(
        tournament, verb="day.closed", by=by, key=scoped_key(key, count.pk), reason=count.reason
    ) as write:
        if write.repeated:
            return DayClose.objects.get(pk=write.outcome["close"])
        _refuse_day(write, count.day)
        _refuse_signature(count, by)
        for found in counted_of(count):
            add_difference(write, found, day=count.day)
        figures = load_figures(tournament, count.day).as_json()
        row = DayClose.objects.create(
            tournament=tournament, day=count.day, count=count, figures=figures, **write.signature_fields()
        )
        write.keep("day_closes", row)
        write.about(count.day, close=row.pk, count=count.pk)
        return row


def reopen_day(close: DayClose, *, by: Actor, reason: str, key: str = "", site: str = "") -> DayReopened:
    """Reopen the last closed day. Its close stays on record, and both signers are notified.

    If the day is today, money counts to it from now on. An earlier day can be chosen under *Days*.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `reopened`, or `later-closed` if a later day is closed.
    """
    tournament = close.tournament
    require(by, "direct", tournament)
    refuse_without(reason)
    key = scoped_key(key, close.pk)
    with writing_at_desk(tournament, verb="day.reopened", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return DayReopened.objects.get(pk=write.outcome["reopened"])
        if earlier := DayReopened.objects.filter(close=close).first():
            said = _("%(name)s opened this day again already. Nothing was changed.")
            raise Conflict("reopened", said % {"name": earlier.by_name})
        last = closed_through(tournament)
        if last is not None and last > close.day:
            said = _("%(day)s was closed after this day. Open that day again first.")
            raise Conflict("later-closed", said % {"day": day_in_year(last)})
        row = DayReopened.objects.create(
            close=close, movements=Movement.objects.filter(tournament=tournament).count(), **write.signature_fields()
        )
        write.keep("days_reopened", row)
        today = venue_date(tournament, write.at)
        if close.day == today != current_day(tournament, write.at):
            write.keep(
                "days_opened", DayOpened.objects.create(tournament=tournament, day=close.day, **write.fact_fields())
            )
        write.about(close.day, reopened=row.pk, close=close.pk)
        after_commit_task("tournament.tell_signers", reopened_id=row.pk, site=site)
        return row


def _refuse_day(write: Write, day: date) -> None:
    refuse_closed_day(day, closed_through(write.tournament))
    if day > last_day_begun(write.tournament, write.at):
        said = _("%(day)s has not begun. Close it at the end of that day.")
        raise Conflict("not-begun", said % {"day": day_in_year(day)})
    drawer = open_drawers(write.tournament).first()
    if drawer is not None:
        said = _("%(drawer)s of %(name)s is still open. Count and close that drawer first.")
        raise Conflict("drawer-open", said % {"drawer": drawer, "name": drawer.cashier})


def _refuse_signature(count: DayCount, by: Actor) -> None:
    if by.user is not None and by.user.pk == count.by_id:
        said = _("You counted, so another member of staff has to sign. Ask one of them to sign in.")
        raise Conflict("same-person", said)
    last = last_count(count.tournament, count.day)
    if last != count or expected_of(load_open_report(count.tournament, count.day)) != count.expected:
        said = _("Money was recorded or counted again since this count. Look at the newest figures, and count again.")
        raise Conflict("changed-since-count", said)
