"""Signatures: each covers the digest of exactly what was on the card as its signer saw it (GRA 2012, singles 7)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any, Final

from django.core.cache import cache

from scoring.models import Card, Signature
from scoring.permissions import require_signer
from scoring.selectors.cards import CardState, load_card_by_pk
from scoring.services.cards import refuse_closed
from scoring.services.keys import own_key
from scoring.services.posting import post_if_signed
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant
from tournament.permissions import Actor, require
from tournament.services.record import Note, writing

MOST_TRIES: Final = 5
TRIES_FOR_SECONDS: Final = 600
MOST_STROKES: Final = 200
MOST_POINTS: Final = 5000
FEWEST_POINTS: Final = 5
"""A tap by mistake is no signature."""

Strokes = list[list[list[float]]]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the signer had before him: the digest of the card on his screen, and the device."""

    digest: str
    device: str = ""
    key: str = ""


def sign_by_drawing(card: Card, strokes: Any, shown: Shown, *, by: Actor) -> CardState:
    """Raises Conflict `card-changed` if the card is no longer the one that was shown."""
    drawn = read_strokes(strokes)
    signature = Signature(method=Signature.Method.DRAWN, strokes=drawn)
    return _sign(card, signature, shown, by=by)


def sign_by_code(card: Card, code: str, shown: Shown, *, by: Actor) -> CardState:
    """By the personal code that is on the entry's private page.

    Raises:
        DomainError: `wrong-code`, or `too-many-tries` after five in ten minutes.
        Conflict: `card-changed`.
    """
    require_signer(by, card)
    assert by.entrant is not None
    check_code(by.entrant, code)
    return _sign(card, Signature(method=Signature.Method.CODE), shown, by=by)


def sign_on_paper(card: Card, entrant: Entrant, witness: str, shown: Shown, *, by: Actor) -> CardState:
    """The desk has the signed paper in its hand; the witness is who looked at it."""
    require(by, "desk", card.match.event.tournament)
    with writing(card.match.event, verb="card.signed", by=by, key=own_key(card, by, shown.key)) as note:
        state = load_card_by_pk(card.pk)
        if note.repeated:
            return state
        refuse_closed(note, card)
        _refuse_changed(state, shown)
        add_paper_signature(note, state, entrant, witness)
        return post_if_signed(note, card)


def add_paper_signature(note: Note, state: CardState, entrant: Entrant, witness: str) -> None:
    """Inside an open write of the desk."""
    if not witness.strip():
        raise DomainError("witness-needed", "Write down who saw the signatures on the paper card.")
    if entrant.pk not in (state.card.one_id, state.card.other_id):
        raise DomainError("not-a-player", "Only the two players of this card can have signed it.")
    signature = Signature(method=Signature.Method.PAPER, witness=witness.strip()[:200])
    _add(note, state, entrant, signature)


def check_code(entrant: Entrant, code: str) -> None:
    """Refuse a wrong code, and after some wrong ones every code for a while, so that nobody can try them all."""
    tries = f"code-tries:{entrant.pk}"
    cache.add(tries, 0, TRIES_FOR_SECONDS)
    if cache.incr(tries) > MOST_TRIES:
        raise DomainError(
            "too-many-tries", "Too many wrong codes. Wait ten minutes, sign with your finger, or go to the desk."
        )
    if not hmac.compare_digest(code.strip().upper().encode(), entrant.sign_code.upper().encode()):
        raise DomainError(
            "wrong-code", "This is not your personal code. It is on your private page; the desk can tell you."
        )
    cache.delete(tries)


def read_strokes(value: Any) -> Strokes:
    """Strokes as the pad stores them: lists of [x, y, milliseconds].

    Raises:
        DomainError: `no-signature`: nothing drawn, or nothing that could be a drawing.
    """
    if not _is_drawing(value):
        raise DomainError("no-signature", "Nothing was drawn. Sign on the line, or type your personal code.")
    return [[[round(number, 1) for number in point] for point in stroke] for stroke in value]


def _is_drawing(value: Any) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_STROKES:
        return False
    if not all(isinstance(stroke, list) and all(_is_point(point) for point in stroke) for stroke in value):
        return False
    return FEWEST_POINTS <= sum(len(stroke) for stroke in value) <= MOST_POINTS


def _is_point(point: Any) -> bool:
    return (
        isinstance(point, list)
        and len(point) == 3
        and all(type(number) in (int, float) and abs(number) < 10**9 for number in point)
    )


def _sign(card: Card, signature: Signature, shown: Shown, *, by: Actor) -> CardState:
    with writing(card.match.event, verb="card.signed", by=by, key=own_key(card, by, shown.key)) as note:
        state = load_card_by_pk(card.pk)
        if note.repeated:
            return state
        require_signer(by, card)
        refuse_closed(note, card)
        _refuse_changed(state, shown)
        assert by.entrant is not None
        signature.device = shown.device[:300]
        _add(note, state, by.entrant, signature)
        return post_if_signed(note, card)


def _add(note: Note, state: CardState, entrant: Entrant, signature: Signature) -> None:
    if not state.is_complete:
        raise Conflict("not-complete", "The game is not over yet: nobody has reached the points of a game.")
    if entrant.pk in state.signed_by:
        raise Conflict("signed-already", f"{entrant.name} has signed this card already.")
    for name, value in note.signed().items():
        setattr(signature, name, value)
    signature.card, signature.entrant, signature.digest = state.card, entrant, state.digest
    signature.save(force_insert=True)
    note.about(state.card, card=state.card.pk, entrant=entrant.number, digest=state.digest)


def _refuse_changed(state: CardState, shown: Shown) -> None:
    if not hmac.compare_digest(state.digest.encode(), shown.digest.encode()):
        raise Conflict("card-changed", "The card has changed since you looked at it. Look again before you sign.")
