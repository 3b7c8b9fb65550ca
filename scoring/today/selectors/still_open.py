"""Open points about the cards of an event that is to be finished."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from pairing.knockout.pictures.match_boxes import name_match
from pairing.matches.selectors.records import COUNTING
from scoring.card_list.selectors import load_open_and, load_open_calls
from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.kept_cards import load_kept_cards
from scoring.correction_period.selectors import load_clocks, waiting_entries
from scoring.disputes.selectors.disputes import waiting_disputes
from scoring.models import Card
from scoring.posting.selectors.statements import CountedCard, load_disagreeing
from scoring.rules.evidence.clocks import MOST_MINUTES
from scoring.rules.sheet.card_status import Counts
from tournament.core.folded import versions_by_topic
from tournament.models import Event
from tournament.money.selectors.prizes import OpenPoint


def load_still_open(event: Event) -> list[OpenPoint]:
    """Return open points for disagreeing cards, cards that are not posted or final, disputes, calls and entries."""
    against = [one for one in load_disagreeing(event) if one.counts is Counts.DISAGREES or not one.agrees]
    told = {one.state.card.pk for one in against}
    named = tuple((_differs(one), 0) for one in against)
    differing = [OpenPoint("against-result", "scoring:desk_today", len(named), named)] if named else []
    return [*differing, *_cards(event, told, timezone.now()), *_waiting(event)]


def _differs(one: CountedCard) -> str:
    """Return the card and both results, such as “R2M1, game 1 (card: Ada 0 – 95 Grace; result: Ada won 91–0)”."""
    card = one.state.card
    words = {"match": card.match.ident, "game": card.game, "card": one.state.score.line, "result": one.result_line}
    return _("%(match)s, game %(game)s (card: %(card)s; result: %(result)s)") % words


def _cards(event: Event, told: set[int], now: datetime) -> Iterator[OpenPoint]:
    """Yield open points for unposted cards and running correction periods, without the cards in `told`."""
    open_cards, posted = load_open_and(event, _posted_lately(event, now), now)
    loose = [card.state for card in open_cards if card.state.lines and card.state.card.pk not in told]
    if loose:
        yield OpenPoint("not-posted", "scoring:desk_cards", len(loose), _named(loose))
    running = [(state, final) for state, final in _ends(event, posted) if final > now]
    if running:
        named = _named([state for state, _final in running])
        until = max(final for _state, final in running)
        yield OpenPoint("correction-period", "scoring:desk_cards", len(running), named, until)


def load_final_times(event: Event, now: datetime) -> list[tuple[CardState, datetime]]:
    """Return the cards that were posted lately with the time at which each is final if no dispute is opened."""
    versions = versions_by_topic(event.pk)
    return _ends(event, load_kept_cards(event, _posted_lately(event, now), versions))


def _ends(event: Event, posted: Sequence[CardState]) -> list[tuple[CardState, datetime]]:
    clocks = load_clocks(event, posted)
    return [(state, clocks[state.card.pk].final_at) for state in posted if state.card.pk in clocks]


def _posted_lately(event: Event, now: datetime) -> dict[int, int]:
    """Map cards that were posted so lately that a correction period may be running to their matches."""
    since = now - timedelta(minutes=MOST_MINUTES)
    posted = Card.objects.filter(match__in=event.matches.filter(COUNTING), postings__at__gt=since)
    return dict(posted.values_list("pk", "match_id"))


def _waiting(event: Event) -> Iterator[OpenPoint]:
    entries = waiting_entries(event)
    if entries:
        named = tuple((_at(entry.card), 0) for entry in entries)
        yield OpenPoint("to-confirm", "scoring:desk_cards", len(entries), named)
    disputes = waiting_disputes(event).count()
    if disputes:
        yield OpenPoint("rulings", "scoring:desk_rulings", disputes)
    calls = load_open_calls(event)
    if calls:
        yield OpenPoint("calls", "scoring:desk_cards", len(calls), tuple((call.entrant.name, 0) for call in calls))


def _at(card: Card) -> str:
    return _("%(match)s, game %(game)s") % {"match": name_match(card.match), "game": card.game}


def _named(states: list[CardState]) -> tuple[tuple[str, int], ...]:
    """Return the players of each card. If they have several cards, add the match: “Ada – Alan (R2M1, game 3)”."""
    often = Counter(state.title for state in states)
    return tuple((_placed(state) if often[state.title] > 1 else state.title, 0) for state in states)


def _placed(state: CardState) -> str:
    words = {"title": state.title, "match": state.card.match.ident, "game": state.card.game}
    return _("%(title)s (%(match)s, game %(game)s)") % words
