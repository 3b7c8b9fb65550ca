"""Sign score cards. A signature covers the digest of the card as its signer saw it (GRA 2012, singles 7)."""

import hmac
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from django.core.cache import cache
from django.utils.translation import gettext as _

from scoring.card_state.permissions import require_signer
from scoring.card_state.selectors.cards import load_card_by_pk, load_match_cards
from scoring.card_state.selectors.players import find_teams_to_sign_for
from scoring.card_state.selectors.state import SCOREKEEPER, CardState
from scoring.cards.services.checks import require_equal_figures
from scoring.cards.services.hands import make_sender_key, require_writable_card
from scoring.models import Card, CardSeat, Signature
from scoring.posting.services.correction_period import require_not_final
from scoring.posting.services.posting import post_if_signed
from scoring.seals.services.sealing import log_signature, record_version
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.core.services.strokes import read_strokes
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant
from tournament.registration.selectors.entries import load_sign_codes
from tournament.spreadsheets import tidy

MOST_TRIES: Final = 5


_TRIES_FOR_SECONDS: Final = 600


@dataclass(frozen=True, slots=True)
class SeenCard:
    """The card that the signer saw, by its digest, and the device.

    `side` is the letter of the team that the signer signs for, or "" for their own seat.
    """

    digest: str
    device: str = ""
    key: str = ""
    side: str = ""


def sign_by_drawing(card: Card, strokes: Any, shown: SeenCard, *, by: Actor) -> CardState:
    """Sign with strokes on the screen.

    Raises:
        Conflict: `card-changed`: the card is no longer the one that was shown.
    """
    require_signer(by, card)
    drawn = read_strokes(strokes, _("There is no signature yet. Sign on the line, or enter your signing code."))
    return _sign(card, Signature(method=Signature.Method.DRAWN, strokes=drawn), shown, by=by)


def sign_by_code(card: Card, code: str, shown: SeenCard, *, by: Actor) -> CardState:
    """Sign by the signing code that is on the entry's private page.

    Raises:
        DomainError: `wrong-code`, or `too-many-tries` after five in ten minutes.
        Conflict: `card-changed`.
    """
    require_signer(by, card)
    assert by.entrant is not None
    require_sign_code(by.entrant, code)
    return _sign(card, Signature(method=Signature.Method.CODE), shown, by=by)


def _sign(card: Card, signature: Signature, shown: SeenCard, *, by: Actor) -> CardState:
    with writing(
        card.match.event,
        verb="card.signed",
        by=by,
        key=make_sender_key(
            card, by, scoped_key(shown.key, shown.digest, shown.side, signature.method, signature.strokes)
        ),
    ) as write:
        cards = load_match_cards(card.match_id, card.sides_key)
        state = next(state for state in cards if state.card.pk == card.pk)
        if write.repeated:
            return state
        require_signer(by, state.card)
        require_writable_card(write, state.card)
        _refuse_changed(state, shown)
        assert by.entrant is not None
        signature.entrant, signature.device = by.entrant, shown.device[:300]
        signed = _add_signature(write, state, _seat_to_sign(state, by.entrant, shown.side), signature)
        return post_if_signed(write, signed, cards)


def _seat_to_sign(state: CardState, entrant: Entrant, side: str) -> CardSeat:
    """Return the seat to sign for: the entrant's own, or in teams the named one or the next one without a signature."""
    own = state.seat_of(entrant.pk)
    if own is not None and side in ("", own.side):
        return own
    if own is not None:
        raise DomainError("not-your-side", _("Players sign only for their own side. Let the other side sign itself."))
    teams = find_teams_to_sign_for(state, entrant)
    waiting = [seat for seat in teams if seat in state.signatures.missing]
    wanted = [seat for seat in teams if seat.side == side] if side else waiting or teams
    if not wanted:
        raise DomainError("not-a-player", _("Choose the team you sign for."))
    return wanted[0]


def sign_on_paper(card: Card, side: str, witness: str, shown: SeenCard, *, by: Actor) -> CardState:
    """Record at the desk that this side (its letter) signed on paper. The witness has seen the signature.

    `SCOREKEEPER` as the side records the scorekeeper's signature, if the rules ask for it.
    """
    require(by, "desk", card.match.event.tournament)
    with writing(
        card.match.event,
        verb="card.signed",
        by=by,
        key=make_sender_key(card, by, scoped_key(shown.key, shown.digest, side, witness)),
    ) as write:
        state = load_card_by_pk(card.pk)
        if write.repeated:
            return state
        require_writable_card(write, card)
        _refuse_changed(state, shown)
        return post_if_signed(write, add_paper_signature(write, state, side, witness))


def add_paper_signature(write: Write, state: CardState, side: str, witness: str) -> CardState:
    """Add a paper signature inside an open write of the desk, and return the card with it."""
    seen_by = tidy(witness)
    if not seen_by:
        raise DomainError("witness-needed", _("Enter who saw the signatures on the paper score card."))
    if side == SCOREKEEPER and state.signatures.missing_others:
        return _add_signature(write, state, None, Signature(method=Signature.Method.PAPER, witness=seen_by[:200]))
    seat = state.seat_at(side)
    if seat is None:
        raise DomainError("not-a-player", _("Only the players on this score card can sign it. Choose one of them."))
    signature = Signature(entrant=seat.entrant, method=Signature.Method.PAPER, witness=seen_by[:200])
    return _add_signature(write, state, seat, signature)


def _add_signature(write: Write, state: CardState, seat: CardSeat | None, signature: Signature) -> CardState:
    """Add the signature of a seat, or of the scorekeeper, who has no seat."""
    if not state.is_complete:
        raise Conflict("not-complete", _("The game is not over yet. Play on until a side reaches the target."))
    require_equal_figures(state)
    if seat is not None and seat.pk in state.signatures.signed_seats:
        require_not_final(write, state)
        raise Conflict(
            "signed-already",
            _("%(seat)s has signed this score card already. Nothing was changed.") % {"seat": state.name_of(seat)},
        )
    for name, value in write.fact_fields().items():
        setattr(signature, name, value)
    version = record_version(write, state)
    signature.card, signature.seat, signature.digest = state.card, seat, state.digest
    signature.save(force_insert=True)
    log_signature(write, state, signature)
    number = signature.entrant.number if signature.entrant else None
    side = seat.side if seat is not None else SCOREKEEPER
    write.about(state.card, card=state.card.pk, side=side, entrant=number, digest=state.digest)
    return state.with_added_facts(signed=(*state.signed, signature), version=version)


def _refuse_changed(state: CardState, shown: SeenCard) -> None:
    if not hmac.compare_digest(state.digest.encode(), shown.digest.encode()):
        raise Conflict("card-changed", _("The score card has changed since you looked. Read it again, then sign."))


def require_sign_code(entrant: Entrant, code: str) -> None:
    """Refuse a wrong code. After several wrong codes refuse every code for a while, so that nobody can try them all."""
    tries = f"code-tries:{entrant.pk}"
    if _count_try(tries) > MOST_TRIES:
        raise DomainError("too-many-tries", _("Too many wrong codes. Sign with your finger, or ask the desk."))
    typed = code.strip().upper().encode()
    same = [hmac.compare_digest(typed, known.upper().encode()) for known in load_sign_codes(entrant)]
    if not any(same):
        raise DomainError("wrong-code", _("That is not your signing code. Look on your private page, or ask the desk."))
    cache.delete(tries)


def _count_try(tries: str) -> int:
    for _again in range(MOST_TRIES):
        if cache.add(tries, 1, _TRIES_FOR_SECONDS):
            return 1
        with suppress(ValueError):  # the right code, sent at the same moment, can clear the count
            return cache.incr(tries)
    return MOST_TRIES + 1
