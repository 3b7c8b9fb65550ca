"""Load entries with their states, the waiting list and free places, lists of entrants, and required approvals."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from tournament.core.selectors.events import GONE
from tournament.errors import NotFound
from tournament.lazy_text import join_with_and, lazy_text
from tournament.models import Entrant, EntrantFact, Event, Member, Message, MessageCopy, Player, StaffRole
from tournament.money.selectors.ledger import load_books
from tournament.purse.entry import HOLDS_A_PLACE, EntryFact, EntryStanding, WaitingListEntry, fold_entry, waiting_order
from tournament.spreadsheets.names import typed_number

State = Entrant.State

ROLES: Final = {
    "director": lazy_text("the director"),
    "coordinator": lazy_text("the coordinator"),
    "hotel": lazy_text("the hotel"),
    "desk": lazy_text("the desk"),
}


MOST_WORDS: Final = 6
LONGEST_SEARCH: Final = 200
"""Limits of a search, in words and letters. Anybody may send thousands of words, and each word costs joins."""


def load_entrant_by_number(event: Event, number: int) -> Entrant:
    entrant = event.entrants.select_related("event__tournament", "reentry_of").filter(number=number).first()
    if entrant is None:
        raise NotFound(
            "no-entrant",
            _("There is no entry with number %(number)s in %(name)s. Look at the list of entrants.")
            % {"number": number, "name": event.name},
        )
    return entrant


def load_standing(entrant: Entrant) -> EntryStanding:
    return fold_entry(_pure(fact) for fact in EntrantFact.objects.filter(entrant=entrant).order_by("pk"))


def load_standings(entrants: Iterable[Entrant]) -> dict[int, EntryStanding]:
    """Return the standing of each entrant by primary key, in one query."""
    facts: dict[int, list[EntryFact]] = defaultdict(list)
    for fact in EntrantFact.objects.filter(entrant__in=[entrant.pk for entrant in entrants]).order_by("pk"):
        facts[fact.entrant_id].append(_pure(fact))
    return {entrant_id: fold_entry(own) for entrant_id, own in facts.items()}


def _pure(fact: EntrantFact) -> EntryFact:
    asked, since = tuple(fact.data.get("asked", ())), fact.data.get("since", "")
    return EntryFact(fact.kind, fact.role, fact.reason, asked, since, bool(fact.data.get("drawn")))


def count_taken_half_places(event: Event, *, without: Entrant | None = None) -> int:
    """Count the half places that are taken. A player who waits for a partner takes one, other entries take two."""
    held = event.entrants.filter(state__in=[state.value for state in HOLDS_A_PLACE])
    if without is not None:
        held = held.exclude(pk=without.pk)
    counted = held.aggregate(all=Count("pk"), alone=Count("pk", filter=Q(asks_partner=True)))
    return int(2 * counted["all"] - counted["alone"])


def free_half_places(event: Event, *, without: Entrant | None = None) -> int | None:
    """Return the number of free half places, at least zero, or None if the event has no limit."""
    if event.capacity is None:
        return None
    return max(0, 2 * event.capacity - count_taken_half_places(event, without=without))


def free_places(event: Event) -> int | None:
    """Return the number of free whole places, or None if the event has no limit."""
    halves = free_half_places(event)
    return None if halves is None else halves // 2


def load_waiting_list(event: Event) -> tuple[WaitingListEntry, ...]:
    """Return the waiting list in the order in which entries move up."""
    entrants = list(event.entrants.filter(state=State.WAITING))
    if not entrants:
        return ()
    standings = load_standings(entrants)
    books = load_books(event) if event.promotion == Event.Promotion.PAID_FIRST else None
    waiting = [
        WaitingListEntry(
            entrant.number,
            standings[entrant.pk].waiting_since,
            books is not None and books.account(entrant.pk).due_cents == 0,
        )
        for entrant in entrants
    ]
    return waiting_order(waiting, event.promotion)


@dataclass(frozen=True, slots=True)
class WhyWaiting:
    place: int
    of: int
    capacity: int | None
    free: int
    rule: str


def why_waiting(entrant: Entrant) -> WhyWaiting | None:
    if entrant.state != State.WAITING:
        return None
    event = entrant.event
    order = [waiting.number for waiting in load_waiting_list(event)]
    return WhyWaiting(
        order.index(entrant.number) + 1, len(order), event.capacity, free_places(event) or 0, event.promotion
    )


def members_of(entrant: Entrant) -> list[Member]:
    """Return the current members of an entry, with substitutes in place of the players they replaced."""
    found = entrant.members.filter(replaced_by=None).select_related("player__merged_into")
    return list(found.order_by("seat", "pk"))


def live_entries_of(event: Event, players: Iterable[Player]) -> QuerySet[Entrant]:
    """Return the entries of these people that are not withdrawn or refused, under any of their records."""
    ids = {player.merged_into_id or player.pk for player in players}
    theirs = Q(members__player__in=ids) | Q(members__player__merged_into__in=ids)
    found = event.entrants.exclude(state__in=GONE).filter(theirs, members__replaced_by=None)
    return found.distinct().order_by("number")


def list_entrants(
    event: Event, *, search: str = "", state: str = "", site: str = "", public: bool = False
) -> QuerySet[Entrant]:
    """Return the entrants of a list, filtered by search, state and site.

    The public sees accepted, seeking, waiting and removed entries only, and searches public names and clubs only.
    """
    found = event.entrants.all()
    if public:
        found = found.filter(state__in=[State.IN, State.SEEKING, State.WAITING, State.REMOVED])
    if state:
        found = found.filter(state=state)
    if site:
        found = found.filter(site=site)
    number = typed_number(search)
    if number is not None:
        found = found.filter(number=number)
    elif search.strip():
        for word in search[:LONGEST_SEARCH].split()[:MOST_WORDS]:
            match = Q(name__icontains=word) | Q(club__icontains=word)
            if not public:
                match |= Q(members__player__email__icontains=word) | Q(members__player__phone__icontains=word)
                match |= Q(members__player__name__icontains=word)
            found = found.filter(match)
    return (found if public else found.distinct()).order_by("number")


def load_messages(entrant: Entrant) -> QuerySet[MessageCopy]:
    """Return the messages that staff wrote to an entrant, without the automatic confirmations of the entry."""
    return (
        MessageCopy.objects.filter(entrant=entrant)
        .exclude(message__audience=Message.OF_ENTRY)
        .select_related("message")
        .order_by("-message_id")
    )


class PublicEntrantRow(NamedTuple):
    """The public data of an entrant. `first_player` is the primary key of the player in the first seat."""

    number: int
    name: str
    club: str
    state: str
    first_player: int | None
    site: str = ""
    sort_key: str = ""


PUBLIC_COLUMNS: Final = ("number", "name", "club", "state", "site", "sort_key")


def load_public_entrants(event: Event, *, search: str = "", site: str = "") -> list[PublicEntrantRow]:
    """Return the public list of entrants, sorted by family name, in one query and without model instances.

    The query has a row for each member. The last member in the first seat gives the link of the name.
    """
    found = list_entrants(event, search=search, site=site, public=True).order_by("sort_key", "number", "members__pk")
    rows: dict[int, PublicEntrantRow] = {}
    members = ("members__player", "members__seat")
    for number, name, club, state, where, key, player, seat in found.values_list(*PUBLIC_COLUMNS, *members):
        if seat == 1 or number not in rows:
            rows[number] = PublicEntrantRow(number, name, club, state, player if seat == 1 else None, where, key)
    return list(rows.values())


# --- Approvals -------------------------------------------------------------------------------------------------------

APPROVALS: Final = ("director", "coordinator", "hotel")
"""Source: “All entrants are subject to approval by the Director, Coordinator, and the Hotel” (GRA 2012, preamble)."""
NOBODY_IN_ROLE: Final = {
    "director": lazy_text("no director"),
    "coordinator": lazy_text("no coordinator"),
    "hotel": lazy_text("no hotel contact"),
}


def asked_of(event: Event) -> tuple[str, ...]:
    """Return the roles that a new entry needs approval from, in the order of the rules."""
    return tuple(role for role in APPROVALS if role in event.approvals)


def roles_in_words(roles: Sequence[str]) -> str:
    """Name the roles, such as “the director, the coordinator and the hotel”. Without roles the answer is empty."""
    return str(join_with_and([ROLES[role] for role in roles]))


def asked_in_words(event: Event) -> str:
    """Tell the director which approvals are needed, and which of these roles nobody holds."""
    asked = asked_of(event)
    if not asked:
        return _("No approval is needed. Every entry is accepted at once.")
    said = _("Every new entry needs approval by %(roles)s.") % {"roles": roles_in_words(asked)}
    missing = unassigned_approvals(event)
    if not missing:
        return said
    warned = _("You have %(roles)s yet. Add them under Staff, or change which approvals are needed.")
    return f"{said} {warned % {'roles': join_with_and([NOBODY_IN_ROLE[role] for role in missing])}}"


def unassigned_approvals(event: Event) -> tuple[str, ...]:
    """Return the required roles that nobody of the staff holds."""
    held = set(StaffRole.objects.filter(tournament=event.tournament_id).values_list("role", flat=True))
    return tuple(role for role in asked_of(event) if role not in held)


def load_missing(event: Event) -> Counter[str]:
    """Count the entries that wait for the approval of each role, in two queries."""
    waiting = load_standings(event.entrants.filter(state=Entrant.State.APPLIED))
    return Counter(role for standing in waiting.values() for role in standing.missing)
