"""The score cards that the desk watches: open, unsigned and overdue cards, and those posted most recently."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Max, Q
from django.utils.translation import get_language, gettext

from pairing.stages.selectors.course import load_decided_matches
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from scoring.card_state.selectors.cards import load_cached_cards
from scoring.card_state.selectors.state import CardState
from scoring.models import Card, CardPosted, DirectorCall
from scoring.posting.selectors.card_status import load_card_statuses, load_cards_decided_after_change
from scoring.posting.selectors.results import load_locked_cards
from tournament.core.cached import cached, load_versions_by_topic
from tournament.models import Event
from tournament.models.topic import DESK_TOPIC

_USUAL_GAME_DURATION: Final = timedelta(minutes=45)
_USUAL_SIGNING_DURATION: Final = timedelta(minutes=5)


@dataclass(frozen=True)
class DeskCard:
    """A card on the desk's list, as it is at the time `now`.

    `is_settled` is True if the card's match was decided without the card.
    """

    state: CardState
    now: datetime
    is_settled: bool = False

    @property
    def waiting_since(self) -> datetime:
        """The time when the last hand was entered if the card is complete, otherwise the start of the game."""
        lines = self.state.lines
        if self.state.is_complete and lines:
            return max(line.at for line in lines)
        calls = list(self.state.card.match.calls.all())
        begun = calls[-1].at if calls and self.state.card.game == 1 else self.state.card.opened_at
        return min([begun, *(line.at for line in lines)])

    @property
    def minutes(self) -> int:
        return int((self.now - self.waiting_since).total_seconds() // 60)

    @property
    def settled_text(self) -> str:
        return gettext("Not finished") if self.state.lines else gettext("Not played")

    @property
    def is_overdue(self) -> bool:
        if self.state.is_posted or self.is_settled:
            return False
        takes = _USUAL_SIGNING_DURATION if self.state.is_complete else _USUAL_GAME_DURATION
        return self.now - self.waiting_since > takes

    def matches_filter(self, wanted: str) -> bool:
        if wanted == "overdue":
            return self.is_overdue
        if wanted == "posted":
            return self.state.is_posted
        if wanted == "unsigned":
            return self.state.state == wanted
        return wanted == "all" or not self.state.is_posted


def load_desk_cards(event: Event, wanted: str, now: datetime) -> list[DeskCard]:
    """Return the cards on the desk's list that match a filter, such as `posted` or `overdue`.

    The filters other than `posted` and `all` list unfinished cards. They leave out cards that nobody can write on, and
    changed cards whose match the desk decided after the change. They also leave out empty cards if the match is
    decided.

    A started card that was never posted stays on these lists after its match is decided, but it is not overdue.
    """
    versions = load_versions_by_topic(event.pk)
    states = load_cached_cards(event, _load_match_by_card_for_filter(event, wanted), versions)
    decided = load_decided_matches(event) if wanted != "posted" else ()
    cards = [DeskCard(state, now, not state.was_posted and state.card.match.ident in decided) for state in states]
    return _filter_cards(cards, wanted)


def _load_match_by_card_for_filter(event: Event, wanted: str) -> dict[int, int]:
    """Return the primary keys of cards that may match the filter, each mapped to its match's primary key."""
    cards = Card.objects.filter(match__in=event.matches.filter(VALID_MATCH_FILTER))
    if wanted not in ("posted", "all"):
        cards = cards.annotate(written=Max("lines__at"), posted=Max("postings__at"))
        cards = cards.filter(Q(posted__isnull=True) | Q(written__gt=F("posted")))
        cards = cards.exclude(match__ident__in=load_decided_matches(event), lines__isnull=True)
    return dict(cards.values_list("pk", "match_id"))


def _filter_cards(cards: Iterable[DeskCard], wanted: str) -> list[DeskCard]:
    listed = [card for card in cards if card.matches_filter(wanted)]
    if wanted in ("posted", "all"):
        return listed
    settled = _load_settled_card_pks(listed)
    return [card for card in listed if card.state.card.pk not in settled]


def _load_settled_card_pks(cards: Collection[DeskCard]) -> set[int]:
    decided = load_cards_decided_after_change([card.state for card in cards if card.state.was_posted])
    return load_locked_cards([card.state.card for card in cards]) | decided


@dataclass(frozen=True, slots=True)
class PostedCardSummary:
    """A posted card for the list of latest results.

    If the card's result does not count, `uncounted_status` is the card's status, such as `superseded`, and
    `is_closed_for_signing` says whether the card can no longer be signed. For all other cards, `uncounted_status` is
    "".
    """

    state: CardState
    at: datetime
    uncounted_status: str = ""
    is_closed_for_signing: bool = False


def load_latest_posted_cards(event: Event, most: int = 6) -> list[PostedCardSummary]:
    """Return the latest posted cards, newest first. Cards with unsigned changes are left out."""
    versions = load_versions_by_topic(event.pk)
    rows = _load_last_postings(event, most)
    cards = load_cached_cards(event, {card: match for card, match, _posted in rows}, versions)
    return _add_statuses(event, rows, [state for state in cards if state.is_posted][:most], versions)


def load_open_and_latest_cards(
    event: Event, now: datetime, most: int = 6
) -> tuple[list[DeskCard], list[PostedCardSummary]]:
    """Return the open cards and the latest posted cards, loaded together."""
    versions = load_versions_by_topic(event.pk)
    rows = cached(event.pk, (DESK_TOPIC,), ("postings", most), lambda: _load_last_postings(event, most))
    waiting, posted = load_open_and_requested_cards(event, {card: match for card, match, _posted in rows}, now)
    states = [state for state in posted if state.is_posted][:most]
    name = ("last posted", most, get_language())
    return waiting, cached(event.pk, (DESK_TOPIC,), name, lambda: _add_statuses(event, rows, states, versions))


def load_open_and_requested_cards(
    event: Event, others: Mapping[int, int], now: datetime
) -> tuple[list[DeskCard], list[CardState]]:
    """Return the open cards, and the states of other cards, loaded together.

    `others` maps the primary keys of the other cards to those of their matches.
    """
    versions = load_versions_by_topic(event.pk)
    keys = cached(event.pk, (DESK_TOPIC,), "open cards", lambda: _load_match_by_card_for_filter(event, "open"))
    cards = {state.card.pk: state for state in load_cached_cards(event, {**keys, **others}, versions)}
    open_cards = [card for pk in keys if (card := DeskCard(cards[pk], now)).matches_filter("open")]
    settled = cached(event.pk, (DESK_TOPIC,), "settled cards", lambda: _load_settled_card_pks(open_cards))
    return [card for card in open_cards if card.state.card.pk not in settled], [cards[pk] for pk in others]


CardPostingRow = tuple[int, int, datetime]


def _load_last_postings(event: Event, most: int) -> list[CardPostingRow]:
    """Return the last postings, newest first.

    Up to `4 * most` postings are returned, because callers leave out cards that have unsigned changes.
    """
    postings = CardPosted.objects.filter(card__match__event=event).order_by("-pk")[: 4 * most]
    return list(postings.values_list("card_id", "card__match_id", "at"))


def _add_statuses(
    event: Event, rows: Sequence[CardPostingRow], states: Sequence[CardState], versions: Mapping[str, int]
) -> list[PostedCardSummary]:
    at = {card: posted for card, _match, posted in reversed(rows)}
    matches = {state.card.match_id for state in states}
    known = load_card_statuses(event, matches, versions) if states else {}
    other = {pk: (one.kind.value, one.is_locked) for pk, one in known.items() if not one.is_counting}
    return [PostedCardSummary(state, at[state.card.pk], *other.get(state.card.pk, ("", False))) for state in states]


def load_open_director_calls(event: Event) -> list[DirectorCall]:
    """Return the calls for the director that nobody has answered, oldest first."""
    waiting = DirectorCall.objects.filter(match__event=event, answered__isnull=True)
    return list(waiting.select_related("entrant", "match").order_by("pk"))
