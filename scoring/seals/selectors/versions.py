"""The signed versions of score cards and their seals, and digests of card data for the log."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from django.utils.translation import gettext as _

from scoring.card_state.selectors.state import SCOREKEEPER_SIDE, CardState, load_card_version_facts, make_card_state
from scoring.models import Card, CardVersion, HandCheck, SheetLine, Signature, UpCard
from scoring.rules.evidence.sealing import (
    CardSignature,
    StoredSeal,
    compute_strokes_digest,
    encode_canonical_json,
    sha256_hex,
)
from tournament.core.selectors.log import format_time
from tournament.errors import InvalidInput, NotFound
from tournament.lazy_text import to_english
from tournament.models.base import Fact

BAD_LINE_ERRORS: Final = (InvalidInput, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""The exceptions that scoring a line can raise if somebody changed the line directly in the database."""


def load_card_versions(card: Card) -> list[CardVersion]:
    """Return a card's versions with their seals, ordered by number."""
    return list(CardVersion.objects.filter(card=card).select_related("seal__key").order_by("number"))


def load_versions_by_digest(cards: Iterable[int]) -> dict[tuple[int, str], CardVersion]:
    """Return the versions of several cards, keyed by the card's primary key and the version's digest."""
    versions = CardVersion.objects.filter(card__in=list(cards)).select_related("seal__key")
    return {(version.card_id, version.digest): version for version in versions}


def load_card_version(state: CardState, number: int) -> CardVersion:
    version = CardVersion.objects.filter(card=state.card, number=number).select_related("seal__key").first()
    if version is None:
        raise NotFound("no-version", _("There is no signed version like this. Look at the versions of the score card."))
    return version


def make_version_state(state: CardState, version: CardVersion) -> CardState:
    """Return the card as it was when this version was signed, recomputed from the recorded facts."""
    then = make_card_state(state.card, load_card_version_facts(state.card, version.facts))
    signed = tuple(signature for signature in state.signed if signature.digest == version.digest)
    return replace(then, signed=signed, postings=tuple(p for p in state.postings if p.digest == version.digest))


def compute_current_digest(state: CardState) -> str | None:
    """Return the digest of the card's current content, or None if one of its lines cannot be scored."""
    try:
        return state.digest
    except BAD_LINE_ERRORS:
        return None


def read_stored_seal(version: CardVersion) -> StoredSeal | None:
    """Return a version's seal, or None if the version was never posted (made final) or is older than seals."""
    seal = getattr(version, "seal", None)
    return StoredSeal(seal.statement, seal.digest, seal.signature, seal.key.public) if seal is not None else None


def list_card_signatures(state: CardState, digest: str) -> tuple[CardSignature, ...]:
    """Return the signatures on the content with this digest, ordered by seat, in the format used in seals."""
    counting = {s.seat_id: s for s in state.signatures.all_signatures if s.digest == digest}
    order = (*(seat.pk for seat in state.seats), None)
    return tuple(make_card_signature(state, counting[seat]) for seat in order if seat in counting)


def make_card_signature(state: CardState, signature: Signature) -> CardSignature:
    """Return a signature in the format used in seals."""
    seat = next((seat for seat in state.seats if seat.pk == signature.seat_id), None)
    signer = seat.entrant if seat is not None and seat.entrant_id == signature.entrant_id else signature.entrant
    return CardSignature(
        side=seat.side if seat is not None else SCOREKEEPER_SIDE,
        name=state.get_seat_name(seat) if seat is not None else to_english(state.sheet.variant.further_signers[0]),
        number=signer.number if signer else None,
        method=signature.method,
        at=format_time(signature.at),
        device=signature.device,
        witness=signature.witness,
        strokes=compute_strokes_digest(signature.strokes),
    )


def compute_line_digest(line: SheetLine) -> str:
    """Return a digest of a line's content and position."""
    return sha256_hex(
        encode_canonical_json({"number": line.number, "line": line.line, "supersedes": line.supersedes_id})
    )


def compute_line_author_digest(line: SheetLine) -> str:
    """Return a digest of a line's author, time, reason, and way of entry."""
    return sha256_hex(
        encode_canonical_json({**_make_author_fields(line), "via": str(line.via), "warnings": line.warnings})
    )


def compute_up_card_digest(up: UpCard) -> str:
    content = {"hand": up.hand, "up": up.up, "entrant": up.entrant_id, "turned_at": format_time(up.turned_at)}
    return sha256_hex(encode_canonical_json({**_make_author_fields(up), **content}))


def compute_hand_check_digest(check: HandCheck) -> str:
    content = {"line": check.line_id, "entrant": check.entrant_id, "own": check.own}
    return sha256_hex(encode_canonical_json({**_make_author_fields(check), **content}))


def _make_author_fields(fact: Fact) -> dict[str, str]:
    return {"at": format_time(fact.at), "by": fact.by_name, "reason": fact.reason}
