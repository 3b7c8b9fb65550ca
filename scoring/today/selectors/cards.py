"""Score cards that need attention, clashes between events, and what is still open when an event is to be finished."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.draws.knockout.progress import State as MatchState
from pairing.draws.results import StatusKind
from pairing.stages.pictures.boxes import name_match
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.plans import traits_of
from pairing.stages.selectors.records import COUNTING, load_last_calls
from scoring.card_state.selectors.cards import load_cached_cards
from scoring.card_state.selectors.state import CardState
from scoring.disputes.selectors.disputes import waiting_disputes
from scoring.models import Card
from scoring.posting.selectors.card_list import DeskCard, load_open_and_other_cards, load_open_calls
from scoring.posting.selectors.card_status import (
    CardStatus,
    find_last_change,
    load_card_points,
    load_clocks,
    load_disagreeing_cards,
    load_waiting_entries,
)
from scoring.rules.sheet.card_status import MOST_MINUTES
from scoring.today.selectors.items import AttentionItem, Open, State
from tournament.core.cached import versions_by_topic
from tournament.models import Event, Member
from tournament.money.selectors.prizes import FinishIssue

MOST_APART = 5
"""The most cards with an item each. If there are more, they share an item with their number."""

CARDS = "scoring:desk_cards"
TABLES = "pairing:desk_tables"


def cards_in_play(cards: Iterable[DeskCard]) -> Iterator[AttentionItem]:
    """Yield items for cards whose end the director decides, that are not signed, or that take very long."""
    listed = list(cards)
    undecided = [card for card in listed if card.state.state == "undecided"]
    others = [card for card in listed if card.state.state != "undecided"]
    for card in undecided:
        text = _("Table %(table)s, %(names)s: the director decides how the game ends") % _card_words(card)
        yield AttentionItem(Open.CARD, text, "scoring:desk_time", card.since)
    complete = [card for card in others if card.state.is_complete]
    yield from _unsigned(Open.UNSIGNED, [card for card in complete if card.is_overdue])
    yield from _unsigned(Open.CARD, [card for card in complete if not card.is_overdue])
    yield from _long_in_play([card for card in others if card.is_overdue and not card.state.is_complete])


def cards_not_posted(cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("%(names)s: the score card is begun, but not posted")
    together = ngettext(
        "%(count)s score card is begun, but not posted", "%(count)s score cards are begun, but not posted", len(cards)
    )
    return _apart_or_together(Open.NOT_POSTED, cards, each, together, "?only=open")


def _unsigned(code: Open, cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("Table %(table)s, %(names)s: a signature is missing")
    together = ngettext(
        "A signature is missing on %(count)s score card", "A signature is missing on %(count)s score cards", len(cards)
    )
    return _apart_or_together(code, cards, each, together, "?only=unsigned")


def _long_in_play(cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("Table %(table)s, %(names)s: in play for %(minutes)s minutes")
    together = ngettext(
        "%(count)s match has been in play for %(minutes)s minutes or more",
        "%(count)s matches have been in play for %(minutes)s minutes or more",
        len(cards),
    )
    return _apart_or_together(Open.CARD, cards, each, together, "?only=overdue")


def _apart_or_together(
    code: Open, cards: Sequence[DeskCard], each: str, together: str, query: str
) -> Iterator[AttentionItem]:
    if len(cards) > MOST_APART:
        text = together % {"count": len(cards), "minutes": min(card.minutes for card in cards)}
        yield AttentionItem(code, text, CARDS, min(card.since for card in cards), query=query, count=len(cards))
        return
    for card in cards:
        yield AttentionItem(code, each % _card_words(card), CARDS, card.since)


def _card_words(card: DeskCard) -> dict[str, object]:
    return {"table": card.state.table or "–", "names": card.state.title, "minutes": card.minutes}


# --- Cards that disagree with the result -----------------------------------------------------------------------------


def items_against_results(event: Event, against: Iterable[CardStatus]) -> list[AttentionItem]:
    """Return an item for each match with a disagreeing card, with the page that settles it.

    Cards that wait for signatures come first.
    """
    rows = {}
    for one in sorted(against, key=lambda each: each.waits):
        is_over = event.state == State.FINISHED
        if traits_of(event).one_card:
            rows[one.state.card.match_id] = _item_for_all_cards(one, is_over=is_over)
        else:
            rows[one.state.card.match_id] = _item_to_sign(one) if one.waits and not is_over else _item_to_decide(one)
    return list(rows.values())


def _item_to_decide(one: CardStatus) -> AttentionItem:
    match = one.state.card.match
    text = _(
        "Match %(match)s: the signed card says %(card)s, the result is %(result)s. The result counts until you decide."
    )
    if one.waits:
        text = _(
            "Match %(match)s: the card was changed to %(card)s and not signed again, the result is %(result)s. "
            "The event is finished: nobody can sign."
        )
    points = load_card_points(match) if not one.waits else None
    winner = points.winner if points is not None else None
    ending = f"played:{winner}" if winner is not None else "void:"
    return AttentionItem(
        Open.AGAINST,
        text % {"match": match.ident, "card": one.state.score.line, "result": one.result_line},
        "pairing:desk_decide",
        find_last_change(one.state) if one.waits else one.state.counts_since,
        ident=match.ident,
        query=f"?ending={ending}" if points is not None else "",
        act=_("Decide the match"),
    )


def _item_for_all_cards(one: CardStatus, *, is_over: bool) -> AttentionItem:
    """Return the item for an event with two sides, in which the result is the sum of all cards."""
    text = _("The card was changed to %(card)s after the result was made. The result follows when all have signed.")
    if is_over:
        text = _(
            "The card was changed to %(card)s after the result was made. Open the event again: the result follows when "
            "all have signed."
        )
    words = {"card": one.state.score.line}
    return AttentionItem(
        Open.AGAINST, text % words, "scoring:desk_rounds", find_last_change(one.state), act=_("Look at the rounds")
    )


def _item_to_sign(one: CardStatus) -> AttentionItem:
    """Return the item for a card that was changed after it was posted. The result stays until all sign again."""
    if one.state.is_complete:
        act = _("Collect the signatures")
        text = _(
            "Match %(match)s, game %(game)s: the card was corrected to %(card)s and waits for signatures. "
            "Until then the result stays: %(result)s."
        )
    else:
        act = _("Complete the card")
        text = _(
            "Match %(match)s, game %(game)s: the card was changed to %(card)s and is not complete. "
            "Until it is, and all have signed, the result stays: %(result)s."
        )
    if one.is_by_desk and one.state.is_complete:
        text = _(
            "Match %(match)s, game %(game)s: the card was corrected to %(card)s and waits for signatures. "
            "The desk decided the result before that, and it stays: %(result)s."
        )
    card = one.state.card
    words = {"match": card.match.ident, "game": card.game, "card": one.state.score.line, "result": one.result_line}
    return AttentionItem(
        Open.AGAINST, text % words, "scoring:desk_card_lines", find_last_change(one.state), token=card.token, act=act
    )


# --- Clashes between the events of a tournament ----------------------------------------------------------------------


_CalledMatch = tuple[Event, int, tuple[int, ...]]
"""A match in play that was called: its event, its table and its entries."""


def clash_items(event: Event) -> Iterator[AttentionItem]:
    """Yield every clash of this event with another one: a player called to two tables, or a table used twice.

    An event with several sites has tables of its own.
    """
    playing = list(event.tournament.events.filter(state=State.IN_PLAY).select_related("tournament").order_by("pk"))
    if len(playing) < 2 or event not in playing:
        return
    called = [one for each in playing for one in _called_in(each)]
    yield from _tables_used_twice(event, called)
    yield from _players_called_twice(event, called)


def _called_in(event: Event) -> Iterator[_CalledMatch]:
    course, calls = load_course(event), load_last_calls(event)
    standing = course.current.match_states if course.stages else {}
    for ident, now in standing.items():
        call = calls.get(ident)
        if now.state is MatchState.READY and call is not None and call.table is not None:
            yield event, call.table, now.entries


def _tables_used_twice(event: Event, called: list[_CalledMatch]) -> Iterator[AttentionItem]:
    own = {table for place, table, _entries in called if place == event and not event.sites}
    shared: defaultdict[Event, set[int]] = defaultdict(set)
    for place, table, _entries in called:
        if place != event and not place.sites and table in own:
            shared[place].add(table)
    for other, tables in shared.items():
        text = ngettext(
            "Table %(tables)s is used by %(event)s, too. Send one of the two matches to another table.",
            "Tables %(tables)s are used by %(event)s, too. Send one of the two matches at each to another table.",
            len(tables),
        )
        words = {"tables": ", ".join(map(str, sorted(tables))), "event": other.name}
        yield AttentionItem(Open.CLASH, text % words, TABLES, count=len(tables))


def _players_called_twice(event: Event, called: list[_CalledMatch]) -> Iterator[AttentionItem]:
    at = {(place.pk, entry): (place, table) for place, table, entries in called for entry in entries}
    seated = Q()
    for place, _table, entries in called:
        seated |= Q(entrant__event=place, entrant__number__in=entries)
    if not called:
        return
    rows = Member.objects.filter(seated, replaced_by__isnull=True).order_by("player__name", "pk")
    places: defaultdict[tuple[int, str], list[tuple[Event, int]]] = defaultdict(list)
    for person, name, of, number in rows.values_list(
        "player_id", "player__name", "entrant__event_id", "entrant__number"
    ):
        places[person, name].append(at[of, number])
    for (_person, name), matches in places.items():
        own = next((table for place, table in matches if place == event), None)
        other = next(((place, table) for place, table in matches if place != event), None)
        if own is not None and other is not None:
            words = {"name": name, "table": own, "event": other[0].name, "other": other[1]}
            text = _("%(name)s is called to table %(table)s, and to table %(other)s in %(event)s.")
            yield AttentionItem(Open.CLASH, text % words, TABLES)


# --- Still open at the end of an event -------------------------------------------------------------------------------


def load_still_open(event: Event) -> list[FinishIssue]:
    """Return open points for disagreeing cards, cards that are not posted or final, disputes, calls and entries."""
    against = [one for one in load_disagreeing_cards(event) if one.kind is StatusKind.DISAGREES or not one.agrees]
    covered = {one.state.card.pk for one in against}
    names = tuple((_name_with_results(one), 0) for one in against)
    differing = [FinishIssue("against-result", "scoring:desk_today", len(names), names)] if names else []
    return [*differing, *_open_cards(event, covered, timezone.now()), *_open_decisions(event)]


def _name_with_results(one: CardStatus) -> str:
    """Return the card and both results, such as “R2M1, game 1 (card: Ada 0 – 95 Grace; result: Ada won 91–0)”."""
    card = one.state.card
    words = {"match": card.match.ident, "game": card.game, "card": one.state.score.line, "result": one.result_line}
    return _("%(match)s, game %(game)s (card: %(card)s; result: %(result)s)") % words


def _open_cards(event: Event, covered: set[int], now: datetime) -> Iterator[FinishIssue]:
    """Yield open points for unposted cards and running correction periods, without the cards in `covered`."""
    open_cards, posted = load_open_and_other_cards(event, _posted_lately(event, now), now)
    loose = [card.state for card in open_cards if card.state.lines and card.state.card.pk not in covered]
    if loose:
        yield FinishIssue("not-posted", "scoring:desk_cards", len(loose), _names_of_cards(loose))
    running = [(state, final) for state, final in _final_times(event, posted) if final > now]
    if running:
        names = _names_of_cards([state for state, _final in running])
        until = max(final for _state, final in running)
        yield FinishIssue("correction-period", "scoring:desk_cards", len(running), names, until)


def load_final_times(event: Event, now: datetime) -> list[tuple[CardState, datetime]]:
    """Return the cards that were posted lately with the time at which each is final if no dispute is opened."""
    versions = versions_by_topic(event.pk)
    return _final_times(event, load_cached_cards(event, _posted_lately(event, now), versions))


def _final_times(event: Event, posted: Sequence[CardState]) -> list[tuple[CardState, datetime]]:
    clocks = load_clocks(event, posted)
    return [(state, clocks[state.card.pk].final_at) for state in posted if state.card.pk in clocks]


def _posted_lately(event: Event, now: datetime) -> dict[int, int]:
    """Map cards that were posted so lately that a correction period may be running to their matches."""
    since = now - timedelta(minutes=MOST_MINUTES)
    posted = Card.objects.filter(match__in=event.matches.filter(COUNTING), postings__at__gt=since)
    return dict(posted.values_list("pk", "match_id"))


def _open_decisions(event: Event) -> Iterator[FinishIssue]:
    entries = load_waiting_entries(event)
    if entries:
        place = _("%(match)s, game %(game)s")
        names = tuple((place % {"match": name_match(one.card.match), "game": one.card.game}, 0) for one in entries)
        yield FinishIssue("to-confirm", "scoring:desk_cards", len(entries), names)
    disputes = waiting_disputes(event).count()
    if disputes:
        yield FinishIssue("rulings", "scoring:desk_rulings", disputes)
    calls = load_open_calls(event)
    if calls:
        yield FinishIssue("calls", "scoring:desk_cards", len(calls), tuple((call.entrant.name, 0) for call in calls))


def _names_of_cards(states: list[CardState]) -> tuple[tuple[str, int], ...]:
    """Return the players of each card. If they have several cards, add the match: “Ada – Alan (R2M1, game 3)”."""
    often = Counter(state.title for state in states)
    text = _("%(title)s (%(match)s, game %(game)s)")
    names = []
    for state in states:
        words = {"title": state.title, "match": state.card.match.ident, "game": state.card.game}
        names.append((text % words if often[state.title] > 1 else state.title, 0))
    return tuple(names)
