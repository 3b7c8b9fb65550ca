"""Load entries and their states, the waiting list, free places, entrant lists, and required approvals."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from tournament.core.selectors.events import INACTIVE_ENTRANT_STATES, resolve_merged_player
from tournament.errors import NotFound
from tournament.lazy_text import join_with_and, lazy_text
from tournament.models import Entrant, EntrantFact, Event, Member, Message, MessageCopy, Player, StaffRole
from tournament.money.selectors.ledger import load_event_accounts, read_fee_terms
from tournament.purse.entry import (
    STATES_OCCUPYING_PLACES,
    EntryStatusChange,
    EntrySummary,
    WaitingListEntry,
    sort_waiting_list,
    summarize_entry,
)
from tournament.purse.fees import FeeTerms, compute_fee_on_date
from tournament.spreadsheets.names import parse_number

EntrantState = Entrant.State

ROLE_NAMES: Final = {
    "director": lazy_text("the director"),
    "coordinator": lazy_text("the coordinator"),
    "hotel": lazy_text("the hotel"),
    "desk": lazy_text("the desk"),
}

MAX_SEARCH_WORDS: Final = 6
MAX_SEARCH_LENGTH: Final = 200
"""The maximum length of a search in characters. `MAX_SEARCH_WORDS` limits its words, because each word costs a join."""


def load_entrant_by_number(event: Event, number: int) -> Entrant:
    entrant = event.entrants.select_related("event__tournament", "reentry_of").filter(number=number).first()
    if entrant is None:
        raise NotFound(
            "no-entrant",
            _("There is no entry with number %(number)s in %(name)s. Look at the list of entrants.")
            % {"number": number, "name": event.name},
        )
    return entrant


def reload_entrant(entrant: Entrant) -> Entrant:
    """Return the entrant, loaded again from the database. The caller must have locked the event."""
    return Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)


def load_entry_summary(entrant: Entrant) -> EntrySummary:
    return summarize_entry(
        _make_status_change(fact) for fact in EntrantFact.objects.filter(entrant=entrant).order_by("pk")
    )


def load_entry_summaries(entrants: Iterable[Entrant]) -> dict[int, EntrySummary]:
    """Return the entrants' states by primary key, with one query."""
    facts: dict[int, list[EntryStatusChange]] = defaultdict(list)
    for fact in EntrantFact.objects.filter(entrant__in=[entrant.pk for entrant in entrants]).order_by("pk"):
        facts[fact.entrant_id].append(_make_status_change(fact))
    return {entrant_id: summarize_entry(own) for entrant_id, own in facts.items()}


def _make_status_change(fact: EntrantFact) -> EntryStatusChange:
    asked, since = tuple(fact.data.get("asked", ())), fact.data.get("since", "")
    return EntryStatusChange(fact.kind, fact.role, fact.reason, asked, since, bool(fact.data.get("drawn")))


def count_occupied_half_places(event: Event, *, without: Entrant | None = None) -> int:
    """Return the number of occupied half places. A player without a partner occupies one, any other entry two."""
    holders = event.entrants.filter(state__in=[state.value for state in STATES_OCCUPYING_PLACES])
    if without is not None:
        holders = holders.exclude(pk=without.pk)
    counts = holders.aggregate(all=Count("pk"), alone=Count("pk", filter=Q(asks_partner=True)))
    return int(2 * counts["all"] - counts["alone"])


def count_free_half_places(event: Event, *, without: Entrant | None = None) -> int | None:
    """Return the number of free half places, at least zero, or None if the event has no limit."""
    if event.capacity is None:
        return None
    return max(0, 2 * event.capacity - count_occupied_half_places(event, without=without))


def count_free_places(event: Event) -> int | None:
    """Return the number of whole free places, or None if the event has no limit. Half places do not count."""
    halves = count_free_half_places(event)
    return None if halves is None else halves // 2


def load_waiting_list(event: Event) -> tuple[WaitingListEntry, ...]:
    """Return the waiting list in the order in which entries move up."""
    entrants = list(event.entrants.filter(state=EntrantState.WAITING))
    if not entrants:
        return ()
    standings = load_entry_summaries(entrants)
    books = load_event_accounts(event) if event.promotion == Event.Promotion.PAID_FIRST else None
    waiting = [
        WaitingListEntry(
            entrant.number,
            standings[entrant.pk].waiting_since,
            books is not None and books.get_account(entrant.pk).due_cents == 0,
        )
        for entrant in entrants
    ]
    return sort_waiting_list(waiting, event.promotion)


def make_waiting_list_context(entrant: Entrant) -> dict[str, Any] | None:
    """Return template context about an entry's place on the waiting list, or None if it is not waiting."""
    if entrant.state != EntrantState.WAITING:
        return None
    event = entrant.event
    order = [waiting.number for waiting in load_waiting_list(event)]
    return {
        "place": order.index(entrant.number) + 1,
        "of": len(order),
        "capacity": event.capacity,
        "free": count_free_places(event) or 0,
        "rule": event.promotion,
    }


def load_members(entrant: Entrant) -> list[Member]:
    """Return an entry's current members. Substitutes appear instead of the players they replaced."""
    members = entrant.members.filter(replaced_by=None).select_related("player__merged_into")
    return list(members.order_by("seat", "pk"))


def load_active_entries(event: Event, players: Iterable[Player]) -> QuerySet[Entrant]:
    """Return these people's entries except withdrawn and rejected ones. Entries of merged records are included."""
    ids = {player.merged_into_id or player.pk for player in players}
    theirs = Q(members__player__in=ids) | Q(members__player__merged_into__in=ids)
    entrants = event.entrants.exclude(state__in=INACTIVE_ENTRANT_STATES).filter(theirs, members__replaced_by=None)
    return entrants.distinct().order_by("number")


def list_entrants(
    event: Event, *, search: str = "", state: str = "", site: str = "", public: bool = False
) -> QuerySet[Entrant]:
    """Return an event's entrants, filtered by search text, state and location.

    The public sees only accepted, seeking, waiting and removed entries, and can search only public names and clubs.
    """
    entrants = event.entrants.all()
    if public:
        entrants = entrants.filter(
            state__in=[EntrantState.IN, EntrantState.SEEKING, EntrantState.WAITING, EntrantState.REMOVED]
        )
    if state:
        entrants = entrants.filter(state=state)
    if site:
        entrants = entrants.filter(site=site)
    number = parse_number(search)
    if number is not None:
        entrants = entrants.filter(number=number)
    elif search.strip():
        for word in search[:MAX_SEARCH_LENGTH].split()[:MAX_SEARCH_WORDS]:
            match = Q(name__icontains=word) | Q(club__icontains=word)
            if not public:
                match |= Q(members__player__email__icontains=word) | Q(members__player__phone__icontains=word)
                match |= Q(members__player__name__icontains=word)
            entrants = entrants.filter(match)
    return (entrants if public else entrants.distinct()).order_by("number")


def load_staff_messages(entrant: Entrant) -> QuerySet[MessageCopy]:
    """Return messages that staff wrote to an entrant, without automatic confirmations."""
    return (
        MessageCopy.objects.filter(entrant=entrant)
        .exclude(message__audience=Message.OF_ENTRY)
        .select_related("message")
        .order_by("-message_id")
    )


class PublicEntrantRow(NamedTuple):
    """An entry's public data. `first_player` is the primary key of the player in the first seat."""

    number: int
    name: str
    club: str
    state: str
    first_player: int | None
    site: str = ""
    sort_key: str = ""


PUBLIC_ENTRANT_COLUMNS: Final = ("number", "name", "club", "state", "site", "sort_key")


def load_public_entrants(event: Event, *, search: str = "", site: str = "") -> list[PublicEntrantRow]:
    """Return the public entrant list, sorted by family name. One query is made, and no model instances are created."""
    entrants = list_entrants(event, search=search, site=site, public=True)
    rows: dict[int, PublicEntrantRow] = {}
    columns = (*PUBLIC_ENTRANT_COLUMNS, "members__player", "members__seat")
    # There is a row for each member. The name links to the last member in the first seat.
    by_member = entrants.order_by("sort_key", "number", "members__pk").values_list(*columns)
    for number, name, club, state, where, key, player, seat in by_member:
        if seat == 1 or number not in rows:
            rows[number] = PublicEntrantRow(number, name, club, state, player if seat == 1 else None, where, key)
    return list(rows.values())


# --- Approvals -------------------------------------------------------------------------------------------------------

APPROVAL_ROLES: Final = ("director", "coordinator", "hotel")
"""Roles that can be required to approve entries.

“All entrants are subject to approval by the Director, Coordinator, and the Hotel” (GRA 2012, preamble).
"""
UNSTAFFED_ROLE_LABELS: Final = {
    "director": lazy_text("no director"),
    "coordinator": lazy_text("no coordinator"),
    "hotel": lazy_text("no hotel contact"),
}


def list_required_approvals(event: Event) -> tuple[str, ...]:
    """Return the roles that must approve a new entry, in the order of `APPROVAL_ROLES`."""
    return tuple(role for role in APPROVAL_ROLES if role in event.approvals)


def join_roles(roles: Sequence[str]) -> str:
    """Join the names of roles into a text such as “the director, the coordinator and the hotel”."""
    return str(join_with_and([ROLE_NAMES[role] for role in roles]))


def explain_approvals(event: Event) -> str:
    """Explain to the director which approvals are required, and which of these roles nobody has."""
    required = list_required_approvals(event)
    if not required:
        return _("No approval is needed. Every entry is accepted at once.")
    sentence = _("Every new entry needs approval by %(roles)s.") % {"roles": join_roles(required)}
    missing = find_unstaffed_approval_roles(event)
    if not missing:
        return sentence
    warning = _("You have %(roles)s yet. Add them under Staff, or change which approvals are needed.")
    return f"{sentence} {warning % {'roles': join_with_and([UNSTAFFED_ROLE_LABELS[role] for role in missing])}}"


def find_unstaffed_approval_roles(event: Event) -> tuple[str, ...]:
    held = set(StaffRole.objects.filter(tournament=event.tournament_id).values_list("role", flat=True))
    return tuple(role for role in list_required_approvals(event) if role not in held)


def count_missing_approvals(event: Event) -> Counter[str]:
    """Return how many entries still need the approval of each role. Two queries are made."""
    waiting = load_entry_summaries(event.entrants.filter(state=Entrant.State.APPLIED))
    return Counter(role for standing in waiting.values() for role in standing.missing_roles)


# --- Partners --------------------------------------------------------------------------------------------------------


def has_partner_draw(event: Event) -> bool:
    """Return whether players can enter this event alone and have a partner drawn for them."""
    return event.entry_size == 2 and event.partners != Event.Partners.TOGETHER


def has_two_partner_pools(event: Event) -> bool:
    return has_partner_draw(event) and event.partners == Event.Partners.TWO_POOLS


def load_partner_seekers(event: Event) -> QuerySet[Entrant]:
    return event.entrants.filter(state=Entrant.State.SEEKING).order_by("number")


def load_joined_pairs(event: Event) -> list[tuple[Entrant, list[Entrant]]]:
    """Return the pairs that were formed from two separate entries, each together with its two original entries."""
    pairs = event.entrants.filter(halves__isnull=False).distinct().prefetch_related("halves").order_by("number")
    return [(pair, sorted(pair.halves.all(), key=lambda half: half.number)) for pair in pairs]


def load_signing_codes(entrant: Entrant) -> list[str]:
    """Return the codes with which an entry's current players can sign.

    The players of a joined pair can also use the codes of their original entries.
    """
    codes = [entrant.sign_code]
    halves = list(entrant.halves.all())
    if not halves:
        return codes
    playing = {resolve_merged_player(member.player).pk for member in load_members(entrant)}
    for half in halves:
        own = {resolve_merged_player(member.player).pk for member in load_members(half)}
        codes += [half.sign_code] if own & playing else []
    return codes


def make_partner_seeker_context(entrant: Entrant) -> dict[str, Any] | None:
    """Return template context for an entrant who is looking for a partner, or None for others."""
    if entrant.state != Entrant.State.SEEKING:
        return None
    pools = list(load_partner_seekers(entrant.event).exclude(pk=entrant.pk).values_list("pool", flat=True))
    other = {"A": "B", "B": "A"}.get(entrant.pool, "")
    return {
        "others": len(pools),
        "two_pools": has_two_partner_pools(entrant.event),
        "pool": entrant.pool,
        "other_pool": other,
        "in_other_pool": pools.count(other) if other else 0,
        "left_over": load_entry_summary(entrant).left_over,
    }


# --- Fees and dates --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _CurrentFee:
    """An event's regular fee in cents, with the early-bird and late fees that still matter today.

    `early_cents` is None if there is no early-bird fee or it has ended. Once the late fee applies, `fee_cents` is the
    late fee, and the other fields are None.
    """

    fee_cents: int
    early_cents: int | None = None
    early_until: date | None = None
    late_cents: int | None = None
    late_from: date | None = None


@dataclass(frozen=True, slots=True)
class _EntryTerms:
    """The current terms for an entry. If partners are drawn, `half` is the fee for a player without a partner."""

    is_open: bool
    fee: _CurrentFee
    half: _CurrentFee | None = None
    opens_at: datetime | None = None
    closes_at: datetime | None = None

    @property
    def cache_key(self) -> str:
        """A cache key that changes when a date changes the terms, such as the first day of the late fee."""
        fees = (self.fee.early_cents is not None, self.fee.late_cents is not None)
        parts = (self.is_open, *fees, self.opens_at is not None, self.closes_at is not None)
        return "".join(str(int(part)) for part in parts)


def make_entry_terms(event: Event, now: datetime) -> _EntryTerms:
    today = now.astimezone(ZoneInfo(event.tournament.time_zone)).date()
    fee = read_fee_terms(event)
    opens_later = event.opens_at is not None and now < event.opens_at
    has_closed = event.closes_at is not None and now > event.closes_at
    can_enter = event.state == Event.State.OPEN and not has_closed
    return _EntryTerms(
        can_enter and not opens_later,
        _compute_current_fee(fee, today),
        _compute_current_fee(fee.halve_for_single_player(), today) if has_partner_draw(event) else None,
        event.opens_at if can_enter and opens_later else None,
        event.closes_at if can_enter else None,
    )


def _compute_current_fee(terms: FeeTerms, today: date) -> _CurrentFee:
    if terms.late_from is not None and today >= terms.late_from:
        return _CurrentFee(compute_fee_on_date(terms, today))
    late = (terms.late_fee_cents, terms.late_from)
    if terms.early_until is None or today > terms.early_until:
        return _CurrentFee(terms.fee_cents, None, None, *late)
    return _CurrentFee(terms.fee_cents, terms.early_fee_cents, terms.early_until, *late)


# --- Sides -----------------------------------------------------------------------------------------------------------
# Only couples in rotation and Court Whist have sides.

SideNames = tuple[str, str]


def get_side_names(event: Event) -> SideNames | None:
    """Return the names of the left and right side, or None if the event has no sides."""
    names = event.plan["stages"][0].get("sides")
    return (str(names[0]), str(names[1])) if names else None


def make_side_choices(event: Event) -> list[tuple[str, str]]:
    """Return each side's value and name as form choices, or [] if the event has no sides."""
    return list(zip(Entrant.Side.values, get_side_names(event) or (), strict=False))


def load_entrants_without_side(event: Event) -> list[Entrant]:
    """Return accepted entrants without a side in order of number, or [] if the event has no sides."""
    if get_side_names(event) is None:
        return []
    return list(event.entrants.filter(state=Entrant.State.IN, side="").order_by("number"))


def get_side_name(entrant: Entrant) -> str:
    """Return the name of the entrant's side, or "" if the entrant has none."""
    return dict(make_side_choices(entrant.event)).get(entrant.side, "")


# --- Sites -----------------------------------------------------------------------------------------------------------


def list_sites(event: Event) -> list[str]:
    """Return the event's location names in the order of the settings, or [] if it has only one location."""
    return [str(name) for name in event.sites]


def load_entrants_without_site(event: Event, numbers: Iterable[int]) -> list[Entrant]:
    """Return the entries with these numbers that have no valid location, in order of number."""
    return list(event.entrants.filter(number__in=list(numbers)).exclude(site__in=list_sites(event)).order_by("number"))
