"""Load score cards with all their facts, and compute a `CardState` for each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery, prefetch_related_objects
from django.utils.translation import gettext as _

from pairing.models import TableCall, get_match_topic
from pairing.stages.selectors.course import load_busy_tables
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.models import Card, CardClosed, CardPosted, CardSeat, CardVersion, Cut, SheetLine, Signature
from tournament.core.cached import cached_in_transaction, cached_many
from tournament.core.selectors.prepared import PreparedQuery, cache_related_rows
from tournament.errors import NotFound
from tournament.models import AuditEntry, Event, Tournament

# --- Queries for cards with their facts ------------------------------------------------------------------------------


def select_cards_with_facts() -> QuerySet[Card]:
    """Return a queryset that prefetches everything that `make_card_state` needs."""
    return _query_cards_with_seats().prefetch_related(*_list_fact_prefetches())


def select_cards_with_deferred_facts() -> QuerySet[Card]:
    """Return a queryset of cards whose facts will be loaded by `load_card_states`."""
    return annotate_first_version_facts(Card.objects.select_related("match__event__tournament", "sheet"))


def annotate_first_version_facts(cards: QuerySet[Card]) -> QuerySet[Card]:
    """Annotate each card with `first_facts`, which has the numbers of facts that the card had when it was first signed.

    `first_facts` has one number for each kind of fact, from `CardVersion.facts` of the first version. If nobody has
    signed the card, `first_facts` is None.
    """
    first = CardVersion.objects.filter(card=OuterRef("pk"), number=1).values("facts")[:1]
    return cards.annotate(first_facts=Subquery(first))


def prefetch_seats() -> Prefetch[str]:
    return Prefetch("seats", CardSeat.objects.select_related("entrant"))


def prefetch_closings() -> Prefetch[str]:
    return Prefetch("closings", _query_closings())


def _query_closings() -> QuerySet[CardClosed]:
    return CardClosed.objects.select_related("taken_back", "left", "winner")


def _query_cards_with_seats() -> QuerySet[Card]:
    return select_cards_with_deferred_facts().prefetch_related(prefetch_seats())


def _list_fact_prefetches() -> tuple[str | Prefetch[str], ...]:
    return "lines", "cuts", "signatures", "postings", "match__calls", prefetch_closings()


# --- Load one card, or the cards of a match --------------------------------------------------------------------------


def load_card_states(cards: QuerySet[Card]) -> list[CardState]:
    """Return the state of each card in a queryset from `select_cards_with_deferred_facts`."""
    loaded = list(cards)
    if len(loaded) == 1:
        load_seats(loaded[0])
        load_card_facts(loaded[0])
    else:
        prefetch_related_objects(loaded, prefetch_seats(), *_list_fact_prefetches())
    return [make_card_state(card) for card in loaded]


def find_card(token: str) -> Card:
    """Return the card with this token. Its seats are loaded, but its facts are not."""
    card = _query_cards_with_seats().filter(token=token).first()
    if card is None:
        raise NotFound(
            "no-card", _("There is no score card at this address. Ask the desk for the score card of your table.")
        )
    return card


def load_card_state(card: Card) -> CardState:
    """Load the facts of a card from `find_card`, and return its state."""
    load_card_facts(card)
    return make_card_state(card)


def load_card_state_by_token(token: str) -> CardState:
    return load_card_state(find_card(token))


def load_card_state_by_pk(pk: int) -> CardState:
    """Return the state of a card. Inside a transaction, it is cached until the next write."""

    def load() -> CardState:
        cards = _CARD_QUERY(pk)
        if not cards:
            raise Card.DoesNotExist
        load_seats(cards[0])
        return load_card_state(cards[0])

    return cached_in_transaction(("card", pk), load)


_CARD_QUERY = PreparedQuery(lambda pk: select_cards_with_deferred_facts().filter(pk=pk))
_SEATS_QUERY = PreparedQuery(lambda card: CardSeat.objects.select_related("entrant").filter(card=card))
_CALLS_QUERY = PreparedQuery(lambda match: TableCall.objects.filter(match=match))
_FACT_QUERIES: Final[dict[str, PreparedQuery[Any]]] = {
    "lines": PreparedQuery(lambda card: SheetLine.objects.filter(card=card)),
    "cuts": PreparedQuery(lambda card: Cut.objects.filter(card=card)),
    "signatures": PreparedQuery(lambda card: Signature.objects.filter(card=card)),
    "postings": PreparedQuery(lambda card: CardPosted.objects.filter(card=card)),
    "closings": PreparedQuery(lambda card: _query_closings().filter(card=card)),
}
"""Prepared queries for a single card's facts, by relation."""


def load_seats(card: Card) -> None:
    cache_related_rows(card, "seats", _SEATS_QUERY(card.pk), back="card")


def load_card_facts(card: Card, relations: Collection[str] = tuple(_FACT_QUERIES)) -> None:
    """Load everything that `make_card_state` needs, except the seats.

    `relations` are the names of the card's relations to load. All other relations are set to empty without a query.
    """
    for name, rows in _FACT_QUERIES.items():
        cache_related_rows(card, name, rows(card.pk) if name in relations else (), back="card")
    cache_related_rows(card.match, "calls", _CALLS_QUERY(card.match_id), back="match")


def matches_content_digest(state: CardState, digest: str) -> bool:
    """Return whether the digest matches the card's content with the event's current or an earlier web address.

    Until somebody signs the card, its content contains the event's current web address. The address is different in a
    copy of the tournament, and a director can change it.
    """
    if digest == state.digest:
        return True
    addresses = _list_earlier_addresses(state.card.match.event)
    return any(digest == replace(state.content, event=address).digest() for address in addresses)


def _list_earlier_addresses(event: Event) -> list[str]:
    verbs = ("tournament.changed", "event.changed")
    log = AuditEntry.objects.filter(tournament=event.tournament_id, verb__in=verbs, data__changed__has_key="slug")
    before = [(entry.event_id, entry.data["changed"]["slug"][0]) for entry in log]
    imports = event.tournament.imports.values_list("origin", flat=True)
    tournaments = {event.tournament.slug, *(origin["tournament"]["slug"] for origin in imports)}
    tournaments |= {slug for changed_event, slug in before if changed_event is None}
    events = {event.slug, *(slug for changed_event, slug in before if changed_event == event.pk)}
    return [f"{tournament}/{each}" for tournament in sorted(tournaments) for each in sorted(events)]


def load_match_cards(match_id: int, key: str | None = None, *, known: CardState | None = None) -> list[CardState]:
    """Return the cards of a match in the order of its games.

    If `key` (see `Card.sides_key`) is given, cards of other players are left out. A match has cards of other players if
    a correction changed who plays in it. `known` is a card whose state is already loaded.
    """
    cards = select_cards_with_deferred_facts().filter(match_id=match_id)
    if key is not None:
        cards = cards.filter(sides_key__in=(key, ""))
    if known is None:
        return load_card_states(cards.order_by("game", "pk"))
    others = load_card_states(cards.exclude(pk=known.card.pk).order_by("game", "pk"))
    return replace_card_state(others, known) if key is None or known.card.sides_key in (key, "") else others


def replace_card_state(cards: Iterable[CardState], known: CardState) -> list[CardState]:
    """Return the match's cards in the order of its games, with `known` in place of an older state of the same card.

    If `cards` does not contain that card, it is added.
    """
    others = (state for state in cards if state.card.pk != known.card.pk)
    return sorted([*others, known], key=lambda state: (state.card.game, state.card.pk))


# --- Cached cards ----------------------------------------------------------------------------------------------------
# For pages with many cards. A card is loaded again only after a write on its match.


def load_cached_cards(event: Event, match_of: Mapping[int, int], versions: Mapping[str, int]) -> list[CardState]:
    """Return cards from the cache, in the order of `match_of`.

    `match_of` maps each card's primary key to its match's primary key.

    Callers must load `versions` (`load_versions_by_topic`) before they query the cards' primary keys. Otherwise a write
    between the two queries could be missed.
    """

    def make(missing: list[tuple[str, int]]) -> dict[tuple[str, int], CardState]:
        cards = list(select_cards_with_facts().filter(pk__in=[pk for _kind, pk in missing]))
        for card in cards:
            card.match.event = event  # all cards share one event object
        return {("kept-card", card.pk): make_card_state(card) for card in cards}

    topics = {("kept-card", pk): (get_match_topic(match),) for pk, match in match_of.items()}
    return list(cached_many(event.pk, topics, versions, make).values())


def load_open_cards_at_table(tournament: Tournament, table: int) -> list[CardState]:
    """Return the unposted cards of the match at a table, across all of the tournament's events."""
    open_cards: list[CardState] = []
    for event in tournament.events.filter(state=Event.State.IN_PLAY):
        match = load_busy_tables(event).get(table)
        if match is not None:
            open_cards += [state for state in load_match_cards(match) if not state.is_posted]
    return open_cards
