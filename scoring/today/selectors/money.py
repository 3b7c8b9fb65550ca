"""Attention items about money: refunds, prizes to pay, wrong payouts, card messages, and counts to sign."""

from collections.abc import Collection, Iterator, Sequence

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.today.selectors.items import AttentionItem, Open, State
from tournament.models import DayCount, DayReopened, Event
from tournament.money.selectors.awards import (
    AwardRow,
    WrongPayout,
    count_paid,
    load_paid,
    load_sharing,
    won_of,
    wrong_payouts,
)
from tournament.money.selectors.cash import closed_through, days_to_close_again, open_drawers
from tournament.money.selectors.incoming import waiting_card_events
from tournament.money.selectors.ledger import Books, load_payout, load_pool, withheld_here
from tournament.money.selectors.prizes import SIDE_POOLS, money_points
from tournament.money.selectors.side_pools import SidePoolState, load_side_pools
from tournament.purse.business_day import is_closed
from tournament.templatetags.gin import day_in_year, month_day, signer

PRIZES = "tournament:desk_prizes"
EXPENSES = "tournament:desk_expenses"
CLOSE = "tournament:desk_close"


def money_rows(event: Event, books: Books) -> Iterator[AttentionItem]:
    if event.state == State.FINISHED:
        yield from _prizes(event, won_of(load_payout(event, load_pool(event, books))), load_side_pools(event, books))
        yield from _withheld(event)
    elif event.state == State.IN_PLAY:
        yield from _paid_already(event)
    if event.state == State.CALLED_OFF:
        yield from _all_to_hand_back(books)
    else:
        yield from _to_hand_back(event, books)
    yield from _told_by_cards(event)
    yield from map(_day_open, days_to_close_again(event.tournament))


def _told_by_cards(event: Event) -> Iterator[AttentionItem]:
    waiting = waiting_card_events(event).order_by("at") if settings.CARD_PROVIDER else ()
    if found := [row.at for row in waiting]:
        text = ngettext(
            "%(count)s message of the card provider has to be settled.",
            "%(count)s messages of the card provider have to be settled.",
            len(found),
        )
        yield AttentionItem(
            Open.CARD_TOLD, text % {"count": len(found)}, "tournament:desk_card_payments", found[0], count=len(found)
        )


def _day_open(row: DayReopened) -> AttentionItem:
    """Return an item for a reopened day. Everybody at the desk sees it, including the two who signed."""
    said = _(
        "%(director)s opened %(day)s again: “%(reason)s”. %(one)s and %(other)s had signed it. Count and close it "
        "again."
    )
    close, tournament = row.close, row.close.tournament
    names = {"director": signer(row, tournament), "day": day_in_year(close.day), "reason": row.reason}
    text = said % {**names, "one": signer(close.count, tournament), "other": signer(close, tournament)}
    return AttentionItem(Open.DAY_OPEN, text, CLOSE, since=row.at, query=f"?day={close.day.isoformat()}")


def _prizes(event: Event, won: dict[int, int], side: Sequence[SidePoolState]) -> Iterator[AttentionItem]:
    paid = load_paid(event) if won else {}
    open_cents = [cents for number, cents in won.items() if cents and number not in paid]
    awards = [row for state in side for row in state.rows]
    open_cents += [row.cents for row in awards if not row.paid_cents]
    if open_cents:
        text = ngettext(
            "%(count)s prize is still to be paid:", "%(count)s prizes are still to be paid:", len(open_cents)
        )
        said = text % {"count": len(open_cents)}
        yield AttentionItem(Open.PRIZE, said, PRIZES, cents=sum(open_cents), count=len(open_cents))
    yield from map(_paid_otherwise, wrong_payouts(event, won))
    yield from (_paid_otherwise(row) for row in awards if row.differs)
    for state in side:
        if state.needs_result:
            said = _("%(pool)s has no winner yet. Record its result:") % {"pool": state.pool.name}
            yield AttentionItem(Open.SIDE_POOL, said, SIDE_POOLS, cents=state.money.prizes_cents)
    unpaid = {number for number, cents in won.items() if paid.get(number, 0) < cents}
    yield from _stale_splits(event, unpaid | {row.number for row in awards if row.to_pay_cents})


def _withheld(event: Event) -> Iterator[AttentionItem]:
    cents = withheld_here(event)
    if cents:
        yield AttentionItem(Open.WITHHELD, _("Withheld for taxes and not sent on yet:"), EXPENSES, cents=cents)


def _stale_splits(event: Event, unpaid: Collection[int]) -> Iterator[AttentionItem]:
    if event.entry_size == 1 or not unpaid:
        return
    stale = [number for number, one in load_sharing(event, sorted(unpaid)).items() if not one.fits]
    names = dict(event.entrants.filter(number__in=stale).values_list("number", "name")) if stale else {}
    for number in stale:
        said = _("The split that %(name)s agreed on does not fit who plays now. Ask them for a new one.")
        yield AttentionItem(Open.SPLIT, said % {"name": names[number]}, PRIZES)


def _paid_already(event: Event) -> Iterator[AttentionItem]:
    count = count_paid(event)
    if not count:
        return
    text = ngettext(
        "%(count)s prize was paid, and the event is open again. Finish it to see what is still to be paid.",
        "%(count)s prizes were paid, and the event is open again. Finish it to see what is still to be paid.",
        count,
    )
    yield AttentionItem(Open.PRIZE, text % {"count": count}, PRIZES, count=count)


def _all_to_hand_back(books: Books) -> Iterator[AttentionItem]:
    count = sum(account.refund_due_cents > 0 for account in books.accounts.values())
    if count:
        text = ngettext("%(count)s entry gets its fee back:", "%(count)s entries get their fees back:", count)
        cents, query = books.total.refund_due_cents, "?only=owed"
        yield AttentionItem(
            Open.HAND_BACK, text % {"count": count}, "tournament:desk_payments", cents=cents, count=count, query=query
        )


def _to_hand_back(event: Event, books: Books) -> Iterator[AttentionItem]:
    said = _("%(name)s paid too much. To refund:")
    rows = [row for point in money_points(event, books) if point.code == "to-hand-back" for row in point.who]
    for name, cents in rows:
        yield AttentionItem(Open.HAND_BACK, said % {"name": name}, "tournament:desk_checkin", cents=cents)


def count_rows(event: Event) -> Iterator[AttentionItem]:
    """Yield counts that need a second signature, and drawers that are open after all events are finished."""
    tournament = event.tournament
    waiting = DayCount.objects.filter(tournament=tournament).order_by("-pk").first()
    if waiting is not None and not hasattr(waiting, "close") and not is_closed(waiting.day, closed_through(tournament)):
        said = _("The count of %(day)s needs a second signature")
        query = f"?day={waiting.day.isoformat()}"
        yield AttentionItem(
            Open.COUNT,
            said % {"day": month_day(waiting.day)},
            "tournament:desk_close",
            waiting.at,
            query=query,
            act=_("Look at the count"),
        )
    if event.state != State.FINISHED or tournament.events.exclude(state__in=(State.FINISHED, State.DRAFT)).exists():
        return
    for drawer in open_drawers(tournament):
        said = _("Drawer “%(name)s” is still open. Count it and close it.")
        yield AttentionItem(Open.COUNT, said % {"name": drawer.name}, "tournament:desk_drawers", drawer.at)


def _paid_otherwise(one: WrongPayout | AwardRow) -> AttentionItem:
    said, cents = _("%(name)s was paid too much. To get back:"), one.back_cents
    if one.to_pay_cents > 0:
        said, cents = _("%(name)s was paid too little. Still to pay:"), one.to_pay_cents
    return AttentionItem(Open.PAID_WRONG, said % {"name": one.name}, PRIZES, cents=cents)
