"""Items about score cards and about clashes between events, and issues to settle before an event is finished."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.draws.knockout.progress import BracketMatchState as MatchState
from pairing.draws.results import CardStatusKind
from pairing.stages.pictures.boxes import format_full_match_name
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.records import VALID_MATCH_FILTER, load_last_table_calls
from scoring.card_state.selectors.cards import load_cached_cards
from scoring.card_state.selectors.state import CardState
from scoring.disputes.selectors.disputes import count_open_disputes
from scoring.models import Card
from scoring.posting.selectors.card_list import DeskCard, load_open_and_requested_cards, load_open_director_calls
from scoring.posting.selectors.card_status import (
    CardStatus,
    find_last_change_time,
    load_card_points,
    load_correction_periods,
    load_disagreeing_cards,
    load_pending_staff_entries,
)
from scoring.rules.sheet.card_status import MAX_CORRECTION_PERIOD_MINUTES
from scoring.today.selectors.attention_items import AttentionItem, AttentionItemKind, EventState
from tournament.core.cached import load_versions_by_topic
from tournament.models import Event, Member
from tournament.money.selectors.prizes import UnresolvedIssue

MAX_SEPARATE_ITEMS = 5
"""Up to this many cards, each card is a separate item. If there are more, one item covers all of them."""

CARDS_PAGE = "scoring:desk_cards"
TABLES_PAGE = "pairing:desk_tables"


def iter_card_in_play_items(cards: Iterable[DeskCard]) -> Iterator[AttentionItem]:
    """Yield attention items for unsigned cards, long matches, and games whose ending the director has to decide."""
    listed = list(cards)
    for card in listed:
        if card.state.state == "undecided":
            text = _("Table %(table)s, %(names)s: the director decides how the game ends") % _make_card_placeholders(
                card
            )
            yield AttentionItem(AttentionItemKind.CARD, text, "scoring:desk_time", card.waiting_since)
    others = [card for card in listed if card.state.state != "undecided"]
    complete = [card for card in others if card.state.is_complete]
    yield from _iter_unsigned_items(AttentionItemKind.UNSIGNED, [card for card in complete if card.is_overdue])
    yield from _iter_unsigned_items(AttentionItemKind.CARD, [card for card in complete if not card.is_overdue])
    yield from _iter_long_match_items([card for card in others if card.is_overdue and not card.state.is_complete])


def iter_unposted_card_items(cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("%(names)s: the score card is begun, but not posted")
    together = ngettext(
        "%(count)s score card is begun, but not posted", "%(count)s score cards are begun, but not posted", len(cards)
    )
    return _iter_separate_or_combined_items(AttentionItemKind.NOT_POSTED, cards, each, together, "?only=open")


def _iter_unsigned_items(kind: AttentionItemKind, cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("Table %(table)s, %(names)s: a signature is missing")
    together = ngettext(
        "A signature is missing on %(count)s score card", "A signature is missing on %(count)s score cards", len(cards)
    )
    return _iter_separate_or_combined_items(kind, cards, each, together, "?only=unsigned")


def _iter_long_match_items(cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("Table %(table)s, %(names)s: in play for %(minutes)s minutes")
    together = ngettext(
        "%(count)s match has been in play for %(minutes)s minutes or more",
        "%(count)s matches have been in play for %(minutes)s minutes or more",
        len(cards),
    )
    return _iter_separate_or_combined_items(AttentionItemKind.CARD, cards, each, together, "?only=overdue")


def _iter_separate_or_combined_items(
    kind: AttentionItemKind, cards: Sequence[DeskCard], each: str, together: str, query: str
) -> Iterator[AttentionItem]:
    if len(cards) > MAX_SEPARATE_ITEMS:
        text = together % {"count": len(cards), "minutes": min(card.minutes for card in cards)}
        yield AttentionItem(
            kind, text, CARDS_PAGE, min(card.waiting_since for card in cards), query=query, count=len(cards)
        )
        return
    for card in cards:
        yield AttentionItem(kind, each % _make_card_placeholders(card), CARDS_PAGE, card.waiting_since)


def _make_card_placeholders(card: DeskCard) -> dict[str, object]:
    return {"table": card.state.table or "–", "names": card.state.title, "minutes": card.minutes}


# --- Cards that disagree with the result -----------------------------------------------------------------------------


def list_disagreeing_card_items(event: Event, against: Iterable[CardStatus]) -> list[AttentionItem]:
    """Return an attention item for each match whose card disagrees with the result.

    If several cards of a match disagree, a card that is waiting for signatures takes precedence.
    """
    items = {}
    is_over = event.state == EventState.FINISHED
    for status in sorted(against, key=lambda each: each.needs_new_signatures):
        match = status.state.card.match_id
        if load_stage_traits(event).one_card:
            items[match] = _make_item_for_two_sides(status, is_over=is_over)
        else:
            items[match] = (
                _make_item_to_sign(status)
                if status.needs_new_signatures and not is_over
                else _make_item_to_decide(status)
            )
    return list(items.values())


def _make_item_to_decide(status: CardStatus) -> AttentionItem:
    match = status.state.card.match
    text = _(
        "Match %(match)s: the signed card says %(card)s, the result is %(result)s. The result counts until you decide."
    )
    if status.result is None or status.result.leaves_match_open:
        text = _(
            "Match %(match)s: the signed card says %(card)s, but the match has no result. The card does not count "
            "until you decide."
        )
    if status.needs_new_signatures:
        text = _(
            "Match %(match)s: the card was changed to %(card)s and not signed again, the result is %(result)s. "
            "The event is finished: nobody can sign."
        )
    points = load_card_points(match) if not status.needs_new_signatures else None
    winner = points.winner if points is not None else None
    ending = f"played:{winner}" if winner is not None else "void:"
    return AttentionItem(
        AttentionItemKind.AGAINST_RESULT,
        text % {"match": match.ident, "card": status.state.score.line_with_names, "result": status.result_line},
        "pairing:desk_decide",
        find_last_change_time(status.state) if status.needs_new_signatures else status.state.posted_or_closed_at,
        ident=match.ident,
        query=f"?ending={ending}" if points is not None else "",
        button_label=_("Decide the match"),
    )


def _make_item_for_two_sides(status: CardStatus, *, is_over: bool) -> AttentionItem:
    """Return the attention item for a card in an event with two sides, where the result is the total of all cards."""
    text = _("The card was changed to %(card)s after the result was made. The result follows when all have signed.")
    if is_over:
        text = _(
            "The card was changed to %(card)s after the result was made. Open the event again: the result follows when "
            "all have signed."
        )
    text = text % {"card": status.state.score.line_with_names}
    return AttentionItem(
        AttentionItemKind.AGAINST_RESULT,
        text,
        "scoring:desk_rounds",
        find_last_change_time(status.state),
        button_label=_("Look at the rounds"),
    )


def _make_item_to_sign(status: CardStatus) -> AttentionItem:
    """Return the attention item for a card that was changed after it was posted (made final)."""
    if status.state.is_complete:
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
    if status.is_decided_by_desk and status.state.is_complete:
        text = _(
            "Match %(match)s, game %(game)s: the card was corrected to %(card)s and waits for signatures. "
            "The desk decided the result before that, and it stays: %(result)s."
        )
    text, since = text % _make_status_placeholders(status), find_last_change_time(status.state)
    return AttentionItem(
        AttentionItemKind.AGAINST_RESULT,
        text,
        "scoring:desk_card_lines",
        since,
        token=status.state.card.token,
        button_label=act,
    )


def _make_status_placeholders(status: CardStatus) -> dict[str, object]:
    card, line = status.state.card, status.state.score.line_with_names
    return {"match": card.match.ident, "game": card.game, "card": line, "result": status.result_line}


# --- Clashes between the events of a tournament ----------------------------------------------------------------------


_CalledMatch = tuple[Event, int, tuple[int, ...]]
"""A match that was called to a table: its event, table number, and entry numbers."""


def iter_double_booking_items(event: Event) -> Iterator[AttentionItem]:
    """Yield an attention item if this event and another one need the same player or table at the same time.

    An event with several sites does not share its tables with other events.
    """
    playing = list(event.tournament.events.filter(state=EventState.IN_PLAY).select_related("tournament").order_by("pk"))
    if len(playing) < 2 or event not in playing:
        return
    called = [match for each in playing for match in _iter_called_matches(each)]
    yield from _iter_double_booked_tables(event, called)
    yield from _iter_double_booked_players(event, called)


def _iter_called_matches(event: Event) -> Iterator[_CalledMatch]:
    course, calls = load_event_stages(event), load_last_table_calls(event)
    standing = course.current_stage.match_states if course.stages else {}
    for ident, match in standing.items():
        call = calls.get(ident)
        if match.state is MatchState.READY and call is not None and call.table is not None:
            yield event, call.table, match.entries


def _iter_double_booked_tables(event: Event, called: list[_CalledMatch]) -> Iterator[AttentionItem]:
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
        yield AttentionItem(AttentionItemKind.DOUBLE_BOOKING, text % words, TABLES_PAGE, count=len(tables))


def _iter_double_booked_players(event: Event, called: list[_CalledMatch]) -> Iterator[AttentionItem]:
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
            yield AttentionItem(AttentionItemKind.DOUBLE_BOOKING, text % words, TABLES_PAGE)


# --- Still open at the end of an event -------------------------------------------------------------------------------


def load_card_and_ruling_issues(event: Event) -> list[UnresolvedIssue]:
    """Return the issues about score cards and rulings that must be resolved before the event can be finished."""
    against = [
        status
        for status in load_disagreeing_cards(event)
        if status.kind is CardStatusKind.DISAGREES or not status.agrees
    ]
    covered = {status.state.card.pk for status in against}
    # Such as “R2M1, game 1 (card: Ada 0 – 95 Grace; result: Ada won 91–0)”.
    text = _("%(match)s, game %(game)s (card: %(card)s; result: %(result)s)")
    names = tuple((text % _make_status_placeholders(status), 0) for status in against)
    differing = [UnresolvedIssue("against-result", "scoring:desk_today", len(names), names)] if names else []
    return [*differing, *_iter_unsettled_cards(event, covered, timezone.now()), *_iter_undecided_matters(event)]


def _iter_unsettled_cards(event: Event, covered: set[int], now: datetime) -> Iterator[UnresolvedIssue]:
    """Yield issues for cards that are not posted (final), and for correction periods that have not ended.

    Cards in `covered` are skipped.
    """
    open_cards, posted = load_open_and_requested_cards(event, _load_recently_posted_cards(event, now), now)
    loose = [card.state for card in open_cards if card.state.lines and card.state.card.pk not in covered]
    if loose:
        yield UnresolvedIssue("not-posted", "scoring:desk_cards", len(loose), _list_names_of_cards(loose))
    running = [(state, final) for state, final in _load_final_times(event, posted) if final > now]
    if running:
        names = _list_names_of_cards([state for state, _final in running])
        until = max(final for _state, final in running)
        yield UnresolvedIssue("correction-period", "scoring:desk_cards", len(running), names, until)


def load_cards_with_final_times(event: Event, now: datetime) -> list[tuple[CardState, datetime]]:
    """Return recently posted cards, each with the time at which it becomes final unless a dispute is opened."""
    versions = load_versions_by_topic(event.pk)
    return _load_final_times(event, load_cached_cards(event, _load_recently_posted_cards(event, now), versions))


def _load_final_times(event: Event, posted: Sequence[CardState]) -> list[tuple[CardState, datetime]]:
    clocks = load_correction_periods(event, posted)
    return [(state, clocks[state.card.pk].final_at) for state in posted if state.card.pk in clocks]


def _load_recently_posted_cards(event: Event, now: datetime) -> dict[int, int]:
    """Return the primary keys of recently posted cards, mapped to the primary keys of their matches.

    The correction period of these cards may still be running.
    """
    since = now - timedelta(minutes=MAX_CORRECTION_PERIOD_MINUTES)
    posted = Card.objects.filter(match__in=event.matches.filter(VALID_MATCH_FILTER), postings__at__gt=since)
    return dict(posted.values_list("pk", "match_id"))


def _iter_undecided_matters(event: Event) -> Iterator[UnresolvedIssue]:
    entries = load_pending_staff_entries(event)
    if entries:
        text = _("%(match)s, game %(game)s")
        names = tuple(
            (text % {"match": format_full_match_name(entry.card.match), "game": entry.card.game}, 0)
            for entry in entries
        )
        yield UnresolvedIssue("to-confirm", "scoring:desk_cards", len(entries), names)
    if disputes := count_open_disputes(event):
        yield UnresolvedIssue("rulings", "scoring:desk_rulings", disputes)
    if calls := load_open_director_calls(event):
        yield UnresolvedIssue(
            "calls", "scoring:desk_cards", len(calls), tuple((call.entrant.name, 0) for call in calls)
        )


def _list_names_of_cards(states: list[CardState]) -> tuple[tuple[str, int], ...]:
    """Return a pair for each card: the names of its players, and 0.

    The pairs are for `UnresolvedIssue.who`, where the number is an amount in cents. These issues do not involve money.
    If the same players have several cards, the match is added to the names: “Ada – Alan (R2M1, game 3)”.
    """
    often = Counter(state.title for state in states)
    text = _("%(title)s (%(match)s, game %(game)s)")
    names = []
    for state in states:
        place = {"title": state.title, "match": state.card.match.ident, "game": state.card.game}
        names.append((text % place if often[state.title] > 1 else state.title, 0))
    return tuple(names)
