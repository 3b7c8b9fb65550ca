"""Let players check what the scorekeeper writes: record up cards, confirm or dispute hands, and ask for new decks.

Only the scorekeeper writes on the card (GRA 2012, singles 2). But “it is the responsibility of both players to see that
the proper up card is recorded” (singles 4). Each player checks the hands that others entered, and nobody can sign while
figures differ.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.card_state.permissions import (
    can_act_for_desk,
    is_scored_at_desk,
    require_player_or_desk,
    require_scorekeeper_or_desk,
)
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState, capitalize_first_letter
from scoring.cards.selectors.checks import (
    CardChecks,
    CheckedHand,
    has_up_card_field,
    load_card_checks,
    make_canonical_line,
)
from scoring.cards.services.hands import LineEntry, preview_line, write_corrected_hand
from scoring.models import Card, HandCheck, NewDeck, SheetLine, UpCard
from scoring.posting.services.posting import make_card_idempotency_key, require_writable_card
from scoring.rules.hand.cards import DECK
from scoring.seals.services.sealing import add_hand_check_to_log, add_up_card_to_log
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant

_MAX_UP_CARD_AGE: Final = timedelta(hours=24)
"""The maximum time between turning a card and sending it. After a longer time, one of the clocks must be wrong."""


# --- Up cards --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnedUpCard:
    """The up card of a hand (numbered from 1). `at` is the phone's time when the card was turned, or None for now."""

    hand: int
    up: str
    at: datetime | None = None
    key: str = ""


def record_up_card(card: Card, turned: TurnedUpCard, *, by: Actor) -> UpCard:
    """Record an up card for a player of the card or for the desk. Earlier records are kept.

    Raises:
        DomainError: `bad-card`, or `no-up-card` if the game has none.
        Conflict: `hand-over`: the hand is already written, or is not the next one.
    """
    key = make_card_idempotency_key(card, by, make_idempotency_key(turned.key, turned.hand, turned.up))
    with writing(card.match.event, verb="card.up-card", by=by, key=key) as write:
        if write.repeated:
            return UpCard.objects.get(pk=write.outcome["up_card"])
        state = load_card_state_by_pk(card.pk)
        require_player_or_desk(by, card)
        require_writable_card(write, card)
        _require_recordable_up_card(state, turned, write)
        of_hand = {"card": card, "hand": turned.hand, "entrant": by.entrant}
        last = UpCard.objects.filter(**of_hand).last()
        if last is None or last.up != turned.up:
            turned_at = write.acted_at
            if turned.at is not None and turned_at - _MAX_UP_CARD_AGE < turned.at <= turned_at:
                turned_at = turned.at  # otherwise the phone's clock must be wrong
            last = UpCard.objects.create(**of_hand, up=turned.up, turned_at=turned_at, **write.fact_fields())
            add_up_card_to_log(write, last)
        write.about(card, card=card.pk, up_card=last.pk, hand=turned.hand, up=turned.up)
        return last


def _require_recordable_up_card(state: CardState, turned: TurnedUpCard, write: WriteTransaction) -> None:
    if not has_up_card_field(state.sheet):
        raise DomainError("no-up-card", _("This game has no up card. Leave it empty."))
    if turned.up not in DECK:
        raise DomainError("bad-card", _("A card has a rank and a suit, such as 8♥. Choose both."))
    if not state.score.accepts_hands or state.is_complete:
        raise Conflict("hand-over", _("The game is over, so no more up cards are recorded. Look at the score card."))
    coming = len(state.lines) + 1
    if turned.hand < coming and not can_act_for_desk(write.by, write.tournament):
        raise Conflict(
            "hand-over",
            _("Hand %(hand)s is on the score card with its up card. If that is wrong, call the director.")
            % {"hand": turned.hand},
        )
    if not 1 <= turned.hand <= coming:
        raise Conflict(
            "hand-over", _("The next hand is hand %(coming)s. Look at the score card again.") % {"coming": coming}
        )


# --- Hands confirmed or disputed -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DisplayedHand:
    """A hand as it was displayed to a user. `line` is the primary key of its line. Hands are numbered from 1."""

    hand: int
    line: int
    key: str = ""


def confirm_hand(card: Card, seen: DisplayedHand, *, by: Actor) -> CardChecks:
    """Confirm a hand as written. Different figures that the same player entered earlier no longer count.

    Raises:
        Conflict: `line-changed`.
    """
    with writing(
        card.match.event,
        verb="card.checked",
        by=by,
        key=make_card_idempotency_key(card, by, _make_hand_idempotency_key(seen)),
    ) as write:
        checks, checked = _load_hand_to_check(write, card, seen, by)
        if not write.repeated:
            _record_check(write, checks, checked, None)
    return load_card_checks(load_card_state_by_pk(card.pk))


def dispute_hand(card: Card, seen: DisplayedHand, line: dict[str, Any], *, by: Actor) -> CardChecks:
    """Record a player's own figures for a hand.

    All players see these figures, and nobody can sign until the hand is settled.

    Raises:
        BadLine: these figures are impossible.
        Conflict: `line-changed`.
    """
    key = make_card_idempotency_key(card, by, make_idempotency_key(_make_hand_idempotency_key(seen), line))
    with writing(card.match.event, verb="card.checked", by=by, key=key) as write:
        checks, checked = _load_hand_to_check(write, card, seen, by)
        if not write.repeated:
            preview_line(checks.state, line, at=seen.hand - 1)
            own = make_canonical_line(checks.state, seen.hand, line)
            same = own == make_canonical_line(checks.state, seen.hand, checked.line.line)
            _record_check(write, checks, checked, None if same else own)
    return load_card_checks(load_card_state_by_pk(card.pk))


def accept_hand_check_figures(card: Card, check: int, *, by: Actor, key: str = "") -> CardChecks:
    """Correct a hand to the figures that another player entered.

    `check` is the primary key of the other player's figures. The scorekeeper can accept figures for any hand, because
    both players then agree.

    Raises:
        Conflict: `settled`: these figures are no longer in dispute.
    """
    with writing(
        card.match.event,
        verb="card.corrected",
        by=by,
        key=make_card_idempotency_key(card, by, make_idempotency_key(key, check)),
    ) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return load_card_checks(state)
        require_scorekeeper_or_desk(by, card, state.keeper_id)
        require_writable_card(write, card)
        _require_not_posted(state)
        disputed = ((hand.hand, other) for hand in load_card_checks(state).disputed_hands for other in hand.against)
        chosen = next((pair for pair in disputed if pair[1].pk == check), None)
        if chosen is None:
            raise Conflict("settled", _("This is settled already. Look at the score card again."))
        hand, other = chosen
        write.reason = _("As entered by %(by_name)s.") % {"by_name": other.by_name}
        via = SheetLine.Via.PHONE if by.entrant else SheetLine.Via.DESK
        write_corrected_hand(write, state, hand, LineEntry(dict(other.own or {}), via=via, override=write.reason))
    return load_card_checks(load_card_state_by_pk(card.pk))


def settle_hand_as_written(card: Card, seen: DisplayedHand, *, by: Actor, reason: str) -> CardChecks:
    """Record the desk's decision to keep a disputed hand as it is written."""
    require_permission(by, "desk", card.match.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write how you know. It stays on record with both scores."))
    key = make_card_idempotency_key(card, by, _make_hand_idempotency_key(seen))
    with writing(card.match.event, verb="card.settled", by=by, key=key, reason=reason) as write:
        if not write.repeated:
            checks = load_card_checks(load_card_state_by_pk(card.pk))
            require_writable_card(write, card)
            _record_check(write, checks, _find_unchanged_hand(checks, seen), None)
    return load_card_checks(load_card_state_by_pk(card.pk))


def must_check_hands(state: CardState, entrant: Entrant) -> bool:
    """Return whether this entrant should check the hands that others enter.

    This applies to players who do not keep score, on a card with several sides.
    """
    return len(state.seats) > 1 and not is_scored_at_desk(state.card) and entrant.pk != state.keeper_id


def _load_hand_to_check(
    write: WriteTransaction, card: Card, seen: DisplayedHand, by: Actor
) -> tuple[CardChecks, CheckedHand]:
    state = load_card_state_by_pk(card.pk)
    require_player_or_desk(by, card)
    require_writable_card(write, card)
    checks = load_card_checks(state)
    if by.entrant is None:
        raise NotAllowed("not-a-player", _("The players check each other's hands. The desk only settles a difference."))
    if not must_check_hands(state, by.entrant):
        raise NotAllowed("own-hand", _("You entered this hand yourself. The other side confirms it."))
    if not write.repeated:
        _require_not_posted(state)
    return checks, _find_unchanged_hand(checks, seen)


def _require_not_posted(state: CardState) -> None:
    if state.is_posted:
        raise Conflict("posted", _("The score card is posted. If a hand is wrong, call the director."))


def _find_unchanged_hand(checks: CardChecks, seen: DisplayedHand) -> CheckedHand:
    checked = next((hand for hand in checks.hands if hand.hand == seen.hand), None)
    if checked is None or checked.line.pk != seen.line:
        raise Conflict(
            "line-changed",
            _("%(hand)s changed since you looked. Look at it again.")
            % {"hand": capitalize_first_letter(checks.state.name_line(seen.hand))},
        )
    return checked


def _record_check(
    write: WriteTransaction, checks: CardChecks, checked: CheckedHand, own: dict[str, Any] | None
) -> None:
    entrant = write.by.entrant
    check = HandCheck.objects.create(line=checked.line, entrant=entrant, own=own, **write.fact_fields())
    add_hand_check_to_log(write, check)
    card = checks.state.card
    write.about(card, card=card.pk, hand=checked.hand, line=checked.line.pk, check=check.pk, agrees=own is None)


def _make_hand_idempotency_key(seen: DisplayedHand) -> str:
    return make_idempotency_key(seen.key, seen.hand, seen.line)


# --- New decks -------------------------------------------------------------------------------------------------------


def record_new_deck(card: Card, *, by: Actor, key: str = "") -> NewDeck:
    """Record that a player requested a new deck. Each player may do so once in a match.

    The old deck cannot come back into play (GRA 2012, singles 15).
    """
    if by.entrant is None:
        raise NotAllowed(
            "not-a-player", _("Only a player of this match can ask for a new deck. Open your own score card.")
        )
    with writing(card.match.event, verb="card.new-deck", by=by, key=make_card_idempotency_key(card, by, key)) as write:
        if write.repeated:
            return NewDeck.objects.get(pk=write.outcome["deck"])
        require_player_or_desk(by, card)
        require_writable_card(write, card)
        state = load_card_state_by_pk(card.pk)
        if NewDeck.objects.filter(card__match=card.match_id, entrant=by.entrant).exists():
            raise Conflict(
                "deck-changed", _("You already had a new deck in this match. Each player gets one (singles rule 15).")
            )
        hand = len(state.lines) + 1
        deck = NewDeck.objects.create(card=card, entrant=by.entrant, hand=hand, **write.fact_fields())
        write.about(card, card=card.pk, deck=deck.pk)
        return deck
