"""Sign score cards. A signature covers the digest of the card as its signer saw it (GRA 2012, singles 7)."""

import hmac
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from django.core.cache import cache
from django.utils.translation import gettext as _

from scoring.card_state.permissions import require_player_or_desk
from scoring.card_state.selectors.cards import load_card_state_by_pk, load_match_cards
from scoring.card_state.selectors.players import find_teams_to_sign_for
from scoring.card_state.selectors.state import SCOREKEEPER_SIDE, CardState
from scoring.cards.selectors.checks import load_checked_hands
from scoring.models import Card, CardSeat, Signature
from scoring.posting.services.correction_period import require_card_not_final
from scoring.posting.services.posting import make_card_idempotency_key, post_card_if_signed, require_writable_card
from scoring.seals.services.sealing import add_signature_to_log, get_or_create_card_version
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.core.services.strokes import parse_signature_strokes
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant
from tournament.registration.selectors.entries import load_signing_codes
from tournament.spreadsheets import normalize_text

MAX_SIGNING_CODE_TRIES: Final = 5


_WRONG_CODE_WINDOW_SECONDS: Final = 600


@dataclass(frozen=True, slots=True)
class SigningContext:
    """The displayed card that a player signs, and how the player signs it.

    `device` is the user agent of the signer's browser. `side` is the letter of the team for which the signer signs, or
    "" for the signer's own seat.
    """

    digest: str
    device: str = ""
    key: str = ""
    side: str = ""


def sign_with_strokes(card: Card, strokes: Any, shown: SigningContext, *, by: Actor) -> CardState:
    """Sign with strokes drawn on the screen.

    Raises:
        Conflict: `card-changed`: the card is no longer the one that was shown.
    """
    _require_signer(by, card)
    drawn = parse_signature_strokes(
        strokes, _("There is no signature yet. Sign on the line, or enter your signing code.")
    )
    return _sign_card(card, Signature(method=Signature.Method.DRAWN, strokes=drawn), shown, by=by)


def sign_by_code(card: Card, code: str, shown: SigningContext, *, by: Actor) -> CardState:
    """Sign with the signing code from the entry's private page.

    Raises:
        DomainError: `wrong-code`, or `too-many-tries` after five wrong codes in ten minutes.
        Conflict: `card-changed`.
    """
    require_signing_code(_require_signer(by, card), code)
    return _sign_card(card, Signature(method=Signature.Method.CODE), shown, by=by)


def _sign_card(card: Card, signature: Signature, shown: SigningContext, *, by: Actor) -> CardState:
    key = make_idempotency_key(shown.key, shown.digest, shown.side, signature.method, signature.strokes)
    with writing(card.match.event, verb="card.signed", by=by, key=make_card_idempotency_key(card, by, key)) as write:
        cards = load_match_cards(card.match_id, card.sides_key)
        state = next(state for state in cards if state.card.pk == card.pk)
        if write.repeated:
            return state
        signature.entrant, signature.device = _require_signer(by, state.card), shown.device[:300]
        require_writable_card(write, state.card)
        _require_unchanged_card(state, shown)
        signed = _add_signature(write, state, _find_seat_to_sign(state, signature.entrant, shown.side), signature)
        return post_card_if_signed(write, signed, cards)


def _find_seat_to_sign(state: CardState, entrant: Entrant, side: str) -> CardSeat:
    """Return the seat for which the entrant signs.

    This is the entrant's own seat. On a card of teams, it is the seat with the letter `side`. If `side` is empty, the
    first unsigned team that the entrant can sign for is chosen.
    """
    own = state.find_seat_of_entrant(entrant.pk)
    if own is not None and side in ("", own.side):
        return own
    if own is not None:
        raise DomainError("not-your-side", _("Players sign only for their own side. Let the other side sign itself."))
    teams = find_teams_to_sign_for(state, entrant)
    waiting = [seat for seat in teams if seat in state.signatures.missing_seats]
    wanted = [seat for seat in teams if seat.side == side] if side else waiting or teams
    if not wanted:
        raise DomainError("not-a-player", _("Choose the team you sign for."))
    return wanted[0]


def sign_on_paper(card: Card, side: str, witness: str, shown: SigningContext, *, by: Actor) -> CardState:
    """Record at the desk that a side signed on paper, and who witnessed it.

    `side` is a letter, or `SCOREKEEPER_SIDE` if the rules also require the scorekeeper's signature.
    """
    require_permission(by, "desk", card.match.event.tournament)
    key = make_card_idempotency_key(card, by, make_idempotency_key(shown.key, shown.digest, side, witness))
    with writing(card.match.event, verb="card.signed", by=by, key=key) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state
        require_writable_card(write, card)
        _require_unchanged_card(state, shown)
        return post_card_if_signed(write, add_paper_signature(write, state, side, witness))


def add_paper_signature(write: WriteTransaction, state: CardState, side: str, witness: str) -> CardState:
    """Add a paper signature in the caller's transaction, and return the card with the signature.

    The author of the transaction must be staff at the desk.
    """
    seen_by = normalize_text(witness)
    if not seen_by:
        raise DomainError("witness-needed", _("Enter who saw the signatures on the paper score card."))
    if side == SCOREKEEPER_SIDE and state.signatures.missing_roles:
        return _add_signature(write, state, None, Signature(method=Signature.Method.PAPER, witness=seen_by[:200]))
    seat = state.find_seat_by_letter(side)
    if seat is None:
        raise DomainError("not-a-player", _("Only the players on this score card can sign it. Choose one of them."))
    signature = Signature(entrant=seat.entrant, method=Signature.Method.PAPER, witness=seen_by[:200])
    return _add_signature(write, state, seat, signature)


def _add_signature(write: WriteTransaction, state: CardState, seat: CardSeat | None, signature: Signature) -> CardState:
    """Add a side's signature, or the scorekeeper's signature if `seat` is None."""
    if not state.is_complete:
        raise Conflict("not-complete", _("The game is not over yet. Play on until a side reaches the target."))
    _require_equal_figures(state)
    if seat is not None and seat.pk in state.signatures.signed_seats:
        require_card_not_final(write, state)
        raise Conflict(
            "signed-already",
            _("%(seat)s has signed this score card already. Nothing was changed.")
            % {"seat": state.get_seat_name(seat)},
        )
    for name, value in write.fact_fields().items():
        setattr(signature, name, value)
    version = get_or_create_card_version(write, state)
    signature.card, signature.seat, signature.digest = state.card, seat, state.digest
    signature.save(force_insert=True)
    add_signature_to_log(write, state, signature)
    number = signature.entrant.number if signature.entrant else None
    side = seat.side if seat is not None else SCOREKEEPER_SIDE
    write.about(state.card, card=state.card.pk, side=side, entrant=number, digest=state.digest)
    return state.copy_with_added_facts(signed=(*state.signed, signature), version=version)


def _require_equal_figures(state: CardState) -> None:
    """Raise Conflict if players have entered different figures for a hand and have not agreed on them yet."""
    different = [checked for checked in load_checked_hands(state) if checked.is_disputed]
    if different:
        hands = ", ".join(state.name_line(checked.hand) for checked in different)
        raise Conflict(
            "difference-open",
            _("The two scorekeepers have different scores for %(hands)s. Settle it first, or call the director.")
            % {"hands": hands},
        )


def _require_signer(actor: Actor, card: Card) -> Entrant:
    """Return the signing player. Raises NotAllowed if the actor is not a player (GRA 2012, singles 7)."""
    if actor.entrant is None:
        raise NotAllowed("not-a-player", _("Only the players sign. The desk records a paper signature with a witness."))
    require_player_or_desk(actor, card)
    return actor.entrant


def _require_unchanged_card(state: CardState, shown: SigningContext) -> None:
    if not hmac.compare_digest(state.digest.encode(), shown.digest.encode()):
        raise Conflict("card-changed", _("The score card has changed since you looked. Read it again, then sign."))


def require_signing_code(entrant: Entrant, code: str) -> None:
    """Check a player's signing code. After five wrong codes, every code is rejected for ten minutes."""
    tries = f"code-tries:{entrant.pk}"
    if _count_wrong_code(tries) > MAX_SIGNING_CODE_TRIES:
        raise DomainError("too-many-tries", _("Too many wrong codes. Sign with your finger, or ask the desk."))
    typed = code.strip().upper().encode()
    matches = [hmac.compare_digest(typed, known.upper().encode()) for known in load_signing_codes(entrant)]
    if not any(matches):
        raise DomainError("wrong-code", _("That is not your signing code. Look on your private page, or ask the desk."))
    cache.delete(tries)


def _count_wrong_code(tries: str) -> int:
    for _again in range(MAX_SIGNING_CODE_TRIES):
        if cache.add(tries, 1, _WRONG_CODE_WINDOW_SECONDS):
            return 1
        with suppress(ValueError):  # another request with the right code can clear the count at this moment
            return cache.incr(tries)
    return MAX_SIGNING_CODE_TRIES + 1
