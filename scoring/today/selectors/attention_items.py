"""Items on the page *Today* that need attention: their kinds, and the items about entrants, the draw, and money."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.blind_draw.selectors import load_current_commitment, load_draw_terms, load_partner_draw_preview
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.records import load_draw_preview
from tournament.backups.selectors import list_backup_problems
from tournament.core.selectors.events import ListedEntry, load_entries
from tournament.models import DayCount, DayReopened, Entrant, EntrantFact, Event
from tournament.money.selectors.awards import (
    AwardRow,
    WrongPayout,
    count_paid_awards,
    find_wrong_payouts,
    get_prize_cents_by_entry,
    load_paid_prize_cents,
    load_prize_shares,
)
from tournament.money.selectors.drawers_and_close import (
    load_days_to_close_again,
    load_last_closed_day,
    load_open_drawers,
)
from tournament.money.selectors.ledger import EventAccounts, load_held_cents_by_account, load_payout, load_prize_pool
from tournament.money.selectors.prizes import SIDE_POOLS_URL_NAME, load_money_issues
from tournament.money.selectors.side_pools import SidePoolOverview, load_side_pools
from tournament.money.selectors.transfers_and_cards import load_pending_card_events
from tournament.purse.business_day import is_day_closed
from tournament.purse.kinds import HELD_MONEY_BY_ACCOUNT
from tournament.registration.selectors.entries import (
    APPROVAL_ROLES,
    ROLE_NAMES,
    count_missing_approvals,
    has_partner_draw,
    load_entrants_without_side,
)
from tournament.second_laptop.selectors import describe_second_laptop_problem, load_undecided_actions
from tournament.setup.words import find_required_permission
from tournament.templatetags.gin import day_in_year, month_day, signer

ENTRANTS_PAGE = "tournament:desk_entrants"
CHECK_IN_PAGE = "tournament:desk_checkin"
DRAW_PAGE = "pairing:desk_draw"
PRIZES_PAGE = "tournament:desk_prizes"
EXPENSES_PAGE = "tournament:desk_expenses"
DAILY_CLOSE_PAGE = "tournament:desk_close"


class AttentionItemKind(StrEnum):
    APPROVAL = "approval"
    WAITING_LIST = "waiting-list"
    UNPAID = "unpaid"
    PLAYS_UNPAID = "plays-unpaid"
    """An entrant who owes money but is allowed to play."""
    ABSENT = "absent"
    SEEKING = "seeking"
    """Entrants who are looking for a partner before the partners are drawn."""
    PARTNERS_DRAWN = "partners-drawn"
    """A draw of partners that is not posted yet and that only staff can see."""
    WITHOUT_SIDE = "sideless"
    ENTRANT_LIST_SEAL = "seal"
    """The list of entrants has not been sealed, or has changed since it was sealed."""
    SEEDS = "seeds"
    DRAWN = "drawn"
    """A draw that is not posted yet and that only staff can see."""
    LATE_ENTRY = "late"
    """A checked-in entry that has no match yet, but can still be added to the event."""
    UNPLACED = "unplaced"
    """A checked-in entry that has no match, and for which no place is left in the event."""
    DOUBLE_BOOKING = "clash"
    """A player was called to two tables, or two events use the same table."""
    CASH_COUNT = "count"
    """A cash count needs a second signature, or a drawer has not been counted."""
    DIRECTOR_CALL = "call"
    RULING = "ruling"
    CHANGED_RULING = "changed-ruling"
    ENTRY_TO_CONFIRM = "confirm"
    """A staff member's change to a score card that a second person has to confirm."""
    AGAINST_RESULT = "against-result"
    """A score card that disagrees with the match's result."""
    TABLE = "table"
    CARD = "card"
    """A game whose ending the director has to decide, or a match that has been going on for very long."""
    UNSIGNED = "unsigned"
    NOT_POSTED = "not-posted"
    CORRECTION = "correction-period"
    CARD_PAYMENT_MESSAGE = "card-told"
    """Messages from the card payment provider that a director has to resolve."""
    MONEY_TO_RETURN = "hand-back"
    PRIZE = "prize"
    WRONG_PAYOUT = "paid-wrong"
    SIDE_POOL = "side-pool"
    """A side pool of a finished event that still has no winner."""
    WITHHELD = "withheld"
    """Taxes withheld in a finished event that have not been sent to the tax office."""
    PRIZE_SPLIT = "split"
    """An agreed split of a prize that no longer fits the entry's players."""
    DAY_OPEN = "day-open"
    """A business day that was closed and then reopened."""
    JOB = "job"
    MAIL = "mail"
    """Emails that could not be sent, unless staff have called the player instead."""
    PLAYERS_TO_CALL = "to-call"
    """Players without an email address who have not been told that the event is called off."""
    BACKUP = "backup"
    """A problem with the backups of the whole installation."""
    SECOND_LAPTOP = "second-laptop"
    """The second laptop is not up to date."""
    OLD_LAPTOP = "old-laptop"
    """Actions that only the replaced laptop recorded. A director has to decide whether to add them on this laptop."""
    LINK_REQUEST = "link"
    """A player who lost their private link and asked the staff for a new one."""


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """Something that needs attention, with the page where it can be resolved.

    `page` is a URL name. The URL's arguments are the event and, depending on the page, `ident` (a match), `token` (a
    score card), `job`, or `message`.
    """

    kind: AttentionItemKind
    text: str
    page: str
    since: datetime | None = None
    cents: int = 0
    """An amount in cents to show after the text, or 0."""
    ident: str = ""
    token: str = ""
    query: str = ""
    button_label: str = ""
    """The button's label. If it is empty, the default label is used."""
    count: int = 1
    """The number of cases that this item represents."""
    job: int = 0
    message: int = 0
    only_for_user: int | None = None
    """The primary key of the only user, besides directors, who sees this item. If it is None, everybody does."""
    until: datetime | None = None
    """The time at which the item disappears by itself."""

    def is_visible_to(self, user: int | None, acts: frozenset[str]) -> bool:
        return self.only_for_user is None or self.only_for_user == user or "direct" in acts

    def can_be_settled_by(self, acts: frozenset[str]) -> bool:
        return find_required_permission(self.page) in acts


def make_item_with_count(kind: AttentionItemKind, text: str, count: int, page: str, **details: Any) -> AttentionItem:
    """Return a single attention item for `count` cases. `text` contains the placeholder `%(count)s`."""
    return AttentionItem(kind, text % {"count": count}, page, count=count, **details)


EventState = Event.State


# --- Entrants, fees and the draw -------------------------------------------------------------------------------------


def iter_entrant_items(event: Event, books: EventAccounts) -> Iterator[AttentionItem]:
    """Yield attention items about approvals, the waiting list, partners, sides, fees, check-in, and the draw."""
    entries = load_entries(event)
    states = [entry.state for entry in entries]
    if count := states.count(Entrant.State.APPLIED):
        text = ngettext("%(count)s entrant needs approval", "%(count)s entrants need approval", count)
        text = text % {"count": count}
        yield AttentionItem(
            AttentionItemKind.APPROVAL, f"{text}: {_describe_missing_approvals(event)}", ENTRANTS_PAGE, count=count
        )
    if count := states.count(Entrant.State.WAITING):
        text = ngettext("%(count)s entrant is on the waiting list", "%(count)s entrants are on the waiting list", count)
        yield make_item_with_count(AttentionItemKind.WAITING_LIST, text, count, ENTRANTS_PAGE)
    if event.state in (EventState.OPEN, EventState.CLOSED):
        yield from _iter_partner_and_side_items(event, states.count(Entrant.State.SEEKING))
        yield from _iter_check_in_items(event, books, entries)
    elif event.state != EventState.DRAFT:
        yield from _iter_owing_items(event, books)
    if event.state == EventState.CLOSED:
        yield from _iter_draw_items(event, [entry.number for entry in entries if entry.state == Entrant.State.IN])


def _describe_missing_approvals(event: Event) -> str:
    """Return the number of missing approvals by role, such as “2 by the director, 1 by the hotel”."""
    missing = count_missing_approvals(event)
    each = ({"count": missing[role], "role": ROLE_NAMES[role]} for role in (*APPROVAL_ROLES, "desk") if missing[role])
    return ", ".join(_("%(count)s by %(role)s") % names for names in each)


def _iter_partner_and_side_items(event: Event, seeking: int) -> Iterator[AttentionItem]:
    made = load_partner_draw_preview(event) if has_partner_draw(event) else None
    if made is not None:
        sentence = _("The partners are drawn, but not posted. Only staff can see them.")
        yield AttentionItem(
            AttentionItemKind.PARTNERS_DRAWN,
            sentence,
            "pairing:desk_partners",
            made.at,
            button_label=_("Look at the partners"),
        )
    elif seeking and has_partner_draw(event):
        text = ngettext(
            "%(count)s entrant is looking for a partner", "%(count)s entrants are looking for a partner", seeking
        )
        yield make_item_with_count(AttentionItemKind.SEEKING, text, seeking, "pairing:desk_partners")
    if count := len(load_entrants_without_side(event)):
        text = ngettext("%(count)s entrant has no side yet", "%(count)s entrants have no side yet", count)
        yield make_item_with_count(AttentionItemKind.WITHOUT_SIDE, text, count, DRAW_PAGE)


def _iter_check_in_items(
    event: Event, books: EventAccounts, entries: tuple[ListedEntry, ...]
) -> Iterator[AttentionItem]:
    """Yield attention items about entrants who owe money or have not checked in.

    After registration closes, entrants whom the director allowed to play anyway are not counted.
    """
    allowed: set[int] = set()
    if event.state == EventState.CLOSED:
        facts = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.KEPT)
        allowed = set(facts.values_list("entrant_id", flat=True))
    yield from _iter_owing_items(event, books, allowed)
    expected = [entry for entry in entries if entry.state == Entrant.State.IN and entry.pk not in allowed]
    if absent := sum(not entry.arrived for entry in expected):
        text = ngettext("%(count)s entrant has not checked in", "%(count)s entrants have not checked in", absent)
        yield make_item_with_count(AttentionItemKind.ABSENT, text, absent, CHECK_IN_PAGE, query="?only=missing")


def _iter_owing_items(event: Event, books: EventAccounts, allowed: Collection[int] = ()) -> Iterator[AttentionItem]:
    """Yield attention items about entrants who owe money.

    An item shows the amount only if its entrants will certainly play. Before the draw, these are the entrants in
    `allowed` (primary keys).
    """
    due = {pk: account.due_cents for pk, account in books.accounts.items() if account.due_cents > 0}
    is_early = event.state in (EventState.OPEN, EventState.CLOSED)
    if count := sum(is_early and pk not in allowed for pk in due):
        text = ngettext("%(count)s entrant has not paid", "%(count)s entrants have not paid", count)
        yield make_item_with_count(AttentionItemKind.UNPAID, text, count, CHECK_IN_PAGE, query="?only=owes")
    if playing := [cents for pk, cents in due.items() if not is_early or pk in allowed]:
        text = ngettext("%(count)s entrant still owes:", "%(count)s entrants still owe:", len(playing))
        kind = AttentionItemKind.PLAYS_UNPAID if is_early else AttentionItemKind.UNPAID
        yield make_item_with_count(kind, text, len(playing), CHECK_IN_PAGE, query="?only=owes", cents=sum(playing))


def _iter_draw_items(event: Event, numbers: list[int]) -> Iterator[AttentionItem]:
    made = load_draw_preview(event)
    if made is not None:
        text = _("The draw is made, but not posted. Only staff can see it.")
        yield AttentionItem(AttentionItemKind.DRAWN, text, DRAW_PAGE, made.at, button_label=_("Look at the draw"))
        return
    sealed = load_current_commitment(event)
    if sealed is None or sealed.numbers != numbers:
        yield AttentionItem(
            AttentionItemKind.ENTRANT_LIST_SEAL, _("The list of entrants has changed since it was sealed"), DRAW_PAGE
        )
    if load_event_plan(event).is_seeded and load_draw_terms(event) is None:
        yield AttentionItem(
            AttentionItemKind.SEEDS, _("The bracket is seeded, and no seeds are named"), DRAW_PAGE, query="#terms"
        )


# --- Money -----------------------------------------------------------------------------------------------------------


def iter_money_items(event: Event, books: EventAccounts) -> Iterator[AttentionItem]:
    """Yield attention items about refunds, prizes, wrong payouts, card payments, and reopened days."""
    if event.state == EventState.FINISHED:
        won = get_prize_cents_by_entry(load_payout(event, load_prize_pool(event, books)))
        yield from _iter_prize_items(event, won, load_side_pools(event, books))
        for account, cents in load_held_cents_by_account(event).items():
            if cents:
                yield AttentionItem(
                    AttentionItemKind.WITHHELD,
                    str(HELD_MONEY_BY_ACCOUNT[account].open_item),
                    EXPENSES_PAGE,
                    cents=cents,
                )
    elif event.state == EventState.IN_PLAY and (count := count_paid_awards(event)):
        text = ngettext(
            "%(count)s prize was paid, and the event is open again. Finish it to see what is still to be paid.",
            "%(count)s prizes were paid, and the event is open again. Finish it to see what is still to be paid.",
            count,
        )
        yield make_item_with_count(AttentionItemKind.PRIZE, text, count, PRIZES_PAGE)
    if event.state == EventState.CALLED_OFF:
        if count := sum(account.refund_due_cents > 0 for account in books.accounts.values()):
            text = ngettext("%(count)s entry gets its fee back:", "%(count)s entries get their fees back:", count)
            cents, query = books.total.refund_due_cents, "?only=owed"
            yield make_item_with_count(
                AttentionItemKind.MONEY_TO_RETURN, text, count, "tournament:desk_payments", cents=cents, query=query
            )
    else:
        overpaid = [
            row for point in load_money_issues(event, books) if point.code == "to-hand-back" for row in point.who
        ]
        for name, cents in overpaid:
            text = _("%(name)s paid too much. To refund:") % {"name": name}
            yield AttentionItem(AttentionItemKind.MONEY_TO_RETURN, text, CHECK_IN_PAGE, cents=cents)
    yield from _iter_provider_items(event)
    yield from map(_make_reopened_day_item, load_days_to_close_again(event.tournament))


def _iter_provider_items(event: Event) -> Iterator[AttentionItem]:
    waiting = load_pending_card_events(event).order_by("at") if settings.CARD_PROVIDER else ()
    if times := [row.at for row in waiting]:
        text = ngettext(
            "%(count)s message of the card provider has to be settled.",
            "%(count)s messages of the card provider have to be settled.",
            len(times),
        )
        yield AttentionItem(
            AttentionItemKind.CARD_PAYMENT_MESSAGE,
            text % {"count": len(times)},
            "tournament:desk_card_payments",
            times[0],
            count=len(times),
        )


def _make_reopened_day_item(row: DayReopened) -> AttentionItem:
    """Return the attention item for a reopened day, with the names of the people who had signed it."""
    sentence = _(
        "%(director)s opened %(day)s again: “%(reason)s”. %(one)s and %(other)s had signed it. Count and close it "
        "again."
    )
    close, tournament = row.close, row.close.tournament
    names = {"director": signer(row, tournament), "day": day_in_year(close.day), "reason": row.reason}
    text = sentence % {**names, "one": signer(close.count, tournament), "other": signer(close, tournament)}
    return AttentionItem(
        AttentionItemKind.DAY_OPEN, text, DAILY_CLOSE_PAGE, since=row.at, query=f"?day={close.day.isoformat()}"
    )


def _iter_prize_items(
    event: Event, won: dict[int, int], side_pools: Sequence[SidePoolOverview]
) -> Iterator[AttentionItem]:
    """Yield attention items about unpaid prizes, wrong payouts, side pools without a winner, and outdated prize splits.

    A split is the shares of a prize on which the partners of an entry agreed. It is outdated if the partners have
    changed. `won` contains the cents that each entry won, keyed by entry number.
    """
    paid = load_paid_prize_cents(event) if won else {}
    open_cents = [cents for number, cents in won.items() if cents and number not in paid]
    awards = [row for state in side_pools for row in state.rows]
    open_cents += [row.cents for row in awards if not row.paid_cents]
    if open_cents:
        text = ngettext(
            "%(count)s prize is still to be paid:", "%(count)s prizes are still to be paid:", len(open_cents)
        )
        yield make_item_with_count(AttentionItemKind.PRIZE, text, len(open_cents), PRIZES_PAGE, cents=sum(open_cents))
    yield from map(_make_wrong_payout_item, find_wrong_payouts(event, won))
    yield from (_make_wrong_payout_item(row) for row in awards if row.has_wrong_amount)
    for state in side_pools:
        if state.needs_result:
            text = _("%(pool)s has no winner yet. Record its result:") % {"pool": state.pool.name}
            yield AttentionItem(AttentionItemKind.SIDE_POOL, text, SIDE_POOLS_URL_NAME, cents=state.money.prizes_cents)
    unpaid = {number for number, cents in won.items() if paid.get(number, 0) < cents}
    yield from _iter_stale_split_items(event, unpaid | {row.number for row in awards if row.to_pay_cents})


def _iter_stale_split_items(event: Event, unpaid: Collection[int]) -> Iterator[AttentionItem]:
    if event.entry_size == 1 or not unpaid:
        return
    stale = [number for number, one in load_prize_shares(event, sorted(unpaid)).items() if not one.is_split_valid]
    names = dict(event.entrants.filter(number__in=stale).values_list("number", "name")) if stale else {}
    for number in stale:
        text = _("The split that %(name)s agreed on does not fit who plays now. Ask them for a new one.")
        yield AttentionItem(AttentionItemKind.PRIZE_SPLIT, text % {"name": names[number]}, PRIZES_PAGE)


def iter_cash_count_items(event: Event) -> Iterator[AttentionItem]:
    """Yield attention items for a cash count that needs a second signature, and for drawers that were left open.

    Open drawers are listed once the tournament's last event is finished.
    """
    tournament = event.tournament
    waiting = DayCount.objects.filter(tournament=tournament).order_by("-pk").first()
    if (
        waiting is not None
        and not hasattr(waiting, "close")
        and not is_day_closed(waiting.day, load_last_closed_day(tournament))
    ):
        text = _("The count of %(day)s needs a second signature")
        query = f"?day={waiting.day.isoformat()}"
        yield AttentionItem(
            AttentionItemKind.CASH_COUNT,
            text % {"day": month_day(waiting.day)},
            DAILY_CLOSE_PAGE,
            waiting.at,
            query=query,
            button_label=_("Look at the count"),
        )
    if (
        event.state != EventState.FINISHED
        or tournament.events.exclude(state__in=(EventState.FINISHED, EventState.DRAFT)).exists()
    ):
        return
    for drawer in load_open_drawers(tournament):
        text = _("Drawer “%(name)s” is still open. Count it and close it.")
        yield AttentionItem(
            AttentionItemKind.CASH_COUNT, text % {"name": drawer.name}, "tournament:desk_drawers", drawer.at
        )


def _make_wrong_payout_item(payout: WrongPayout | AwardRow) -> AttentionItem:
    text, cents = _("%(name)s was paid too much. To get back:"), payout.back_cents
    if payout.to_pay_cents > 0:
        text, cents = _("%(name)s was paid too little. Still to pay:"), payout.to_pay_cents
    return AttentionItem(AttentionItemKind.WRONG_PAYOUT, text % {"name": payout.name}, PRIZES_PAGE, cents=cents)


# --- Backups ---------------------------------------------------------------------------------------------------------


def iter_data_safety_items(event: Event, now: datetime) -> Iterator[AttentionItem]:
    """Yield attention items about backups, the second laptop, and actions that are missing on this laptop.

    The second laptop is a second computer that stores every change and can take over. Problems with it, or with the
    backups, are listed only from the draw until the event is finished.

    After a takeover, some actions may be recorded only on the laptop that was replaced (the old laptop). They are
    listed at any time. The items are not cached, because they depend on files and on the current time.
    """
    if settings.AUTOMATIC_BACKUPS and event.state in (EventState.DRAWN, EventState.IN_PLAY):
        for problem in list_backup_problems(now):
            yield AttentionItem(AttentionItemKind.BACKUP, str(problem.label), "tournament:desk_backups")
    if event.state in (EventState.DRAWN, EventState.IN_PLAY) and (problem_text := describe_second_laptop_problem()):
        yield AttentionItem(AttentionItemKind.SECOND_LAPTOP, problem_text, "tournament:desk_second_laptop")
    if count := len(load_undecided_actions(event.tournament)):
        text = ngettext(
            "%(count)s action was recorded only on the old laptop",
            "%(count)s actions were recorded only on the old laptop",
            count,
        )
        page, button = "tournament:desk_old_laptop", _("Decide what to add")
        yield make_item_with_count(AttentionItemKind.OLD_LAPTOP, text, count, page, button_label=button)
