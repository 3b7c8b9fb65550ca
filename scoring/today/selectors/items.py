"""Items that need attention, the facts for the next step, and the items about entrants, the draw and money."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.blind_draw.selectors import current_commitment, load_draw_terms, load_partner_draw_preview
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.records import load_draw_preview
from tournament.core.selectors.events import ListedEntry, load_entries
from tournament.models import DayCount, DayReopened, Entrant, EntrantFact, Event
from tournament.money.selectors.awards import (
    AwardRow,
    WrongPayout,
    count_paid,
    load_paid,
    load_prize_shares,
    won_cents_by_entry,
    wrong_payouts,
)
from tournament.money.selectors.drawers_and_close import closed_through, days_to_close_again, open_drawers
from tournament.money.selectors.ledger import Books, held_cents, load_payout, load_pool
from tournament.money.selectors.prizes import SIDE_POOLS, load_money_issues
from tournament.money.selectors.side_pools import SidePoolState, load_side_pools
from tournament.money.selectors.transfers_and_cards import waiting_card_events
from tournament.purse.business_day import is_closed
from tournament.purse.kinds import HELD
from tournament.registration.selectors.entries import (
    APPROVALS,
    ROLES,
    count_missing_approvals,
    draws_partners,
    load_sideless,
)
from tournament.setup.words import NextStep, act_needed_for
from tournament.templatetags.gin import day_in_year, month_day, signer

ENTRANTS = "tournament:desk_entrants"
CHECK_IN = "tournament:desk_checkin"
DRAW = "pairing:desk_draw"
PRIZES = "tournament:desk_prizes"
EXPENSES = "tournament:desk_expenses"
CLOSE = "tournament:desk_close"


class Open(StrEnum):
    """The kinds of things that can be open in an event."""

    APPROVAL = "approval"
    WAITING_LIST = "waiting-list"
    UNPAID = "unpaid"
    PLAYS_UNPAID = "plays-unpaid"
    """An entrant who owes money, but whom the director lets play."""
    ABSENT = "absent"
    SEEKING = "seeking"
    """Entrants who want a partner while the partners are not drawn."""
    PARTNERS_DRAWN = "partners-drawn"
    """A draw of partners that only staff can see."""
    SIDELESS = "sideless"
    SEAL = "seal"
    """A list of entrants that changed since it was sealed, or was never sealed."""
    SEEDS = "seeds"
    DRAWN = "drawn"
    """A draw that only staff can see."""
    LATE = "late"
    """An entry that is checked in but in no match, and can still join."""
    UNPLACED = "unplaced"
    """An entry that is checked in, but has nothing left to join."""
    CLASH = "clash"
    """A player called to two tables, or a table used by two events."""
    COUNT = "count"
    """A count of the money that needs a second signature, or a drawer that is not counted."""
    CALL = "call"
    RULING = "ruling"
    CHANGED_RULING = "changed-ruling"
    CONFIRM = "confirm"
    """An entry by staff that a second official has to confirm."""
    AGAINST = "against-result"
    """A card that disagrees with the result."""
    TABLE = "table"
    CARD = "card"
    """A card whose end is not decided, or that takes very long."""
    UNSIGNED = "unsigned"
    NOT_POSTED = "not-posted"
    CORRECTION = "correction-period"
    CARD_TOLD = "card-told"
    """Messages of the card provider that a director has to settle."""
    HAND_BACK = "hand-back"
    PRIZE = "prize"
    PAID_WRONG = "paid-wrong"
    SIDE_POOL = "side-pool"
    """A side pool of a finished event with money that nobody has won."""
    WITHHELD = "withheld"
    """Taxes of a finished event that were withheld but not sent to the tax office."""
    SPLIT = "split"
    """A split that the partners agreed on, but that does not fit the current players."""
    DAY_OPEN = "day-open"
    """A closed day that was reopened, and is not closed again."""
    JOB = "job"
    MAIL = "mail"
    """Emails that could not be sent to players whom nobody has called."""
    TO_CALL = "to-call"
    """Players without an email who do not know yet that the event is called off."""
    LINK = "link"
    """A player who lost their private link and needs the desk's approval."""


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """A thing that needs attention, in words, with the page that settles it. `since` is None if it is unknown.

    An item covers `count` things of its kind. `cents` is an amount to show after the words, or 0. `ident` is the match
    of the page, `token` its card, `job` its job and `message` its message. `query` fills in the page's form, and `act`
    labels its button. `until` is the time at which the item ends by itself. `asked_by` is the only user it concerns
    besides directors, or None for everybody.
    """

    code: Open
    text: str
    page: str
    since: datetime | None = None
    cents: int = 0
    ident: str = ""
    token: str = ""
    query: str = ""
    act: str = ""
    count: int = 1
    job: int = 0
    message: int = 0
    asked_by: int | None = None
    until: datetime | None = None

    def is_for(self, user: int | None, acts: frozenset[str]) -> bool:
        return self.asked_by is None or self.asked_by == user or "direct" in acts

    def can_be_settled_by(self, acts: frozenset[str]) -> bool:
        return act_needed_for(self.page) in acts


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """The facts that the next step is computed from.

    `setup_left` is the first step of the setup that was not saved, if any. `entered` counts the entries in the draw.
    `play` is the next step by the kind of the current stage. `is_decided` means that nothing is left to play. `open`
    counts the open items of each kind.
    """

    state: str
    setup_left: str = ""
    entered: int = 0
    play: NextStep | None = None
    is_decided: bool = False
    open: Mapping[Open, int] = field(default_factory=dict)

    def count(self, code: Open) -> int:
        return self.open.get(code, 0)


Finals = tuple[tuple[str, datetime], ...]
"""Cards that count, as the names of their players and the time at which the card is final."""

State = Event.State


# --- Entrants, fees and the draw -------------------------------------------------------------------------------------


def count_entries_in_draw(event: Event) -> int:
    return sum(entry.state == Entrant.State.IN for entry in load_entries(event))


def entrant_items(event: Event, books: Books) -> Iterator[AttentionItem]:
    """Yield items about approvals, the waiting list, partners and sides, fees, check-in, and the draw."""
    entries = load_entries(event)
    states = [entry.state for entry in entries]
    if count := states.count(Entrant.State.APPLIED):
        text = ngettext("%(count)s entrant needs approval", "%(count)s entrants need approval", count)
        sentence = text % {"count": count}
        yield AttentionItem(Open.APPROVAL, f"{sentence}: {_approvals_by_role(event)}", ENTRANTS, count=count)
    if count := states.count(Entrant.State.WAITING):
        text = ngettext("%(count)s entrant is on the waiting list", "%(count)s entrants are on the waiting list", count)
        yield AttentionItem(Open.WAITING_LIST, text % {"count": count}, ENTRANTS, count=count)
    if event.state in (State.OPEN, State.CLOSED):
        yield from _partners_and_sides(event, states.count(Entrant.State.SEEKING))
        yield from _not_checked_in(event, books, entries)
    elif event.state != State.DRAFT:
        yield from _owing(event, books)
    if event.state == State.CLOSED:
        yield from _draw_rows(event, [entry.number for entry in entries if entry.state == Entrant.State.IN])


def _approvals_by_role(event: Event) -> str:
    """Return how many approvals each role has to give, such as “2 by the director, 1 by the hotel”."""
    missing = count_missing_approvals(event)
    each = ({"count": missing[role], "role": ROLES[role]} for role in (*APPROVALS, "desk") if missing[role])
    return ", ".join(_("%(count)s by %(role)s") % words for words in each)


def _partners_and_sides(event: Event, seeking: int) -> Iterator[AttentionItem]:
    made = load_partner_draw_preview(event) if draws_partners(event) else None
    if made is not None:
        sentence = _("The partners are drawn, but not posted. Only staff can see them.")
        yield AttentionItem(
            Open.PARTNERS_DRAWN, sentence, "pairing:desk_partners", made.at, act=_("Look at the partners")
        )
    elif seeking and draws_partners(event):
        text = ngettext(
            "%(count)s entrant is looking for a partner", "%(count)s entrants are looking for a partner", seeking
        )
        yield AttentionItem(Open.SEEKING, text % {"count": seeking}, "pairing:desk_partners", count=seeking)
    if count := len(load_sideless(event)):
        text = ngettext("%(count)s entrant has no side yet", "%(count)s entrants have no side yet", count)
        yield AttentionItem(Open.SIDELESS, text % {"count": count}, DRAW, count=count)


def _not_checked_in(event: Event, books: Books, entries: tuple[ListedEntry, ...]) -> Iterator[AttentionItem]:
    """Yield items for entrants who owe or have not checked in, except those whom the director lets play anyway."""
    allowed: set[int] = set()
    if event.state == State.CLOSED:
        facts = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.KEPT)
        allowed = set(facts.values_list("entrant_id", flat=True))
    yield from _owing(event, books, allowed)
    expected = [entry for entry in entries if entry.state == Entrant.State.IN and entry.pk not in allowed]
    if absent := sum(not entry.arrived for entry in expected):
        text = ngettext("%(count)s entrant has not checked in", "%(count)s entrants have not checked in", absent)
        yield AttentionItem(Open.ABSENT, text % {"count": absent}, CHECK_IN, query="?only=missing", count=absent)


def _owing(event: Event, books: Books, allowed: Collection[int] = ()) -> Iterator[AttentionItem]:
    """Yield items for entrants who owe money, with the amount once it is decided that they play."""
    due = {pk: account.due_cents for pk, account in books.accounts.items() if account.due_cents > 0}
    is_early = event.state in (State.OPEN, State.CLOSED)
    if count := sum(is_early and pk not in allowed for pk in due):
        text = ngettext("%(count)s entrant has not paid", "%(count)s entrants have not paid", count)
        yield AttentionItem(Open.UNPAID, text % {"count": count}, CHECK_IN, query="?only=owes", count=count)
    if playing := [cents for pk, cents in due.items() if not is_early or pk in allowed]:
        text = ngettext("%(count)s entrant still owes:", "%(count)s entrants still owe:", len(playing))
        kind = Open.PLAYS_UNPAID if is_early else Open.UNPAID
        sentence = text % {"count": len(playing)}
        yield AttentionItem(kind, sentence, CHECK_IN, query="?only=owes", count=len(playing), cents=sum(playing))


def _draw_rows(event: Event, numbers: list[int]) -> Iterator[AttentionItem]:
    made = load_draw_preview(event)
    if made is not None:
        text = _("The draw is made, but not posted. Only staff can see it.")
        yield AttentionItem(Open.DRAWN, text, DRAW, made.at, act=_("Look at the draw"))
        return
    sealed = current_commitment(event)
    if sealed is None or sealed.numbers != numbers:
        yield AttentionItem(Open.SEAL, _("The list of entrants has changed since it was sealed"), DRAW)
    if load_plan(event).is_seeded and load_draw_terms(event) is None:
        yield AttentionItem(Open.SEEDS, _("The bracket is seeded, and no seeds are named"), DRAW, query="#terms")


# --- Money -----------------------------------------------------------------------------------------------------------


def money_items(event: Event, books: Books) -> Iterator[AttentionItem]:
    """Yield items about refunds, prizes to pay, wrong payouts, messages of the card provider, and reopened days."""
    if event.state == State.FINISHED:
        yield from _prizes(
            event, won_cents_by_entry(load_payout(event, load_pool(event, books))), load_side_pools(event, books)
        )
        for account, cents in held_cents(event).items():
            if cents:
                yield AttentionItem(Open.WITHHELD, str(HELD[account].open_item), EXPENSES, cents=cents)
    elif event.state == State.IN_PLAY:
        yield from _prizes_paid_early(event)
    if event.state == State.CALLED_OFF:
        yield from _all_refunds(books)
    else:
        yield from _refunds(event, books)
    yield from _card_messages(event)
    yield from map(_reopened_day, days_to_close_again(event.tournament))


def _card_messages(event: Event) -> Iterator[AttentionItem]:
    waiting = waiting_card_events(event).order_by("at") if settings.CARD_PROVIDER else ()
    if times := [row.at for row in waiting]:
        text = ngettext(
            "%(count)s message of the card provider has to be settled.",
            "%(count)s messages of the card provider have to be settled.",
            len(times),
        )
        yield AttentionItem(
            Open.CARD_TOLD, text % {"count": len(times)}, "tournament:desk_card_payments", times[0], count=len(times)
        )


def _reopened_day(row: DayReopened) -> AttentionItem:
    """Return an item for a reopened day. Everybody at the desk sees it, including the two who signed."""
    sentence = _(
        "%(director)s opened %(day)s again: “%(reason)s”. %(one)s and %(other)s had signed it. Count and close it "
        "again."
    )
    close, tournament = row.close, row.close.tournament
    names = {"director": signer(row, tournament), "day": day_in_year(close.day), "reason": row.reason}
    text = sentence % {**names, "one": signer(close.count, tournament), "other": signer(close, tournament)}
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
        sentence = text % {"count": len(open_cents)}
        yield AttentionItem(Open.PRIZE, sentence, PRIZES, cents=sum(open_cents), count=len(open_cents))
    yield from map(_wrong_payout, wrong_payouts(event, won))
    yield from (_wrong_payout(row) for row in awards if row.differs)
    for state in side:
        if state.needs_result:
            sentence = _("%(pool)s has no winner yet. Record its result:") % {"pool": state.pool.name}
            yield AttentionItem(Open.SIDE_POOL, sentence, SIDE_POOLS, cents=state.money.prizes_cents)
    unpaid = {number for number, cents in won.items() if paid.get(number, 0) < cents}
    yield from _stale_splits(event, unpaid | {row.number for row in awards if row.to_pay_cents})


def _stale_splits(event: Event, unpaid: Collection[int]) -> Iterator[AttentionItem]:
    if event.entry_size == 1 or not unpaid:
        return
    stale = [number for number, one in load_prize_shares(event, sorted(unpaid)).items() if not one.fits]
    names = dict(event.entrants.filter(number__in=stale).values_list("number", "name")) if stale else {}
    for number in stale:
        text = _("The split that %(name)s agreed on does not fit who plays now. Ask them for a new one.")
        yield AttentionItem(Open.SPLIT, text % {"name": names[number]}, PRIZES)


def _prizes_paid_early(event: Event) -> Iterator[AttentionItem]:
    count = count_paid(event)
    if not count:
        return
    text = ngettext(
        "%(count)s prize was paid, and the event is open again. Finish it to see what is still to be paid.",
        "%(count)s prizes were paid, and the event is open again. Finish it to see what is still to be paid.",
        count,
    )
    yield AttentionItem(Open.PRIZE, text % {"count": count}, PRIZES, count=count)


def _all_refunds(books: Books) -> Iterator[AttentionItem]:
    count = sum(account.refund_due_cents > 0 for account in books.accounts.values())
    if count:
        text = ngettext("%(count)s entry gets its fee back:", "%(count)s entries get their fees back:", count)
        cents, query = books.total.refund_due_cents, "?only=owed"
        yield AttentionItem(
            Open.HAND_BACK, text % {"count": count}, "tournament:desk_payments", cents=cents, count=count, query=query
        )


def _refunds(event: Event, books: Books) -> Iterator[AttentionItem]:
    text = _("%(name)s paid too much. To refund:")
    rows = [row for point in load_money_issues(event, books) if point.code == "to-hand-back" for row in point.who]
    for name, cents in rows:
        yield AttentionItem(Open.HAND_BACK, text % {"name": name}, CHECK_IN, cents=cents)


def cash_count_items(event: Event) -> Iterator[AttentionItem]:
    """Yield counts that need a second signature, and drawers that are open after all events are finished."""
    tournament = event.tournament
    waiting = DayCount.objects.filter(tournament=tournament).order_by("-pk").first()
    if waiting is not None and not hasattr(waiting, "close") and not is_closed(waiting.day, closed_through(tournament)):
        text = _("The count of %(day)s needs a second signature")
        query = f"?day={waiting.day.isoformat()}"
        yield AttentionItem(
            Open.COUNT,
            text % {"day": month_day(waiting.day)},
            CLOSE,
            waiting.at,
            query=query,
            act=_("Look at the count"),
        )
    if event.state != State.FINISHED or tournament.events.exclude(state__in=(State.FINISHED, State.DRAFT)).exists():
        return
    for drawer in open_drawers(tournament):
        text = _("Drawer “%(name)s” is still open. Count it and close it.")
        yield AttentionItem(Open.COUNT, text % {"name": drawer.name}, "tournament:desk_drawers", drawer.at)


def _wrong_payout(one: WrongPayout | AwardRow) -> AttentionItem:
    text, cents = _("%(name)s was paid too much. To get back:"), one.back_cents
    if one.to_pay_cents > 0:
        text, cents = _("%(name)s was paid too little. Still to pay:"), one.to_pay_cents
    return AttentionItem(Open.PAID_WRONG, text % {"name": one.name}, PRIZES, cents=cents)
