"""Record each signed content of a card as a version, log digests of rows, and seal a card when it is posted.

All functions that take a `Write` run inside an open write.
"""

import base64
import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import Count, F, Max, Model, OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.card_state.selectors.state import CardState
from scoring.models import (
    CardClosed,
    CardPosted,
    CardSeal,
    CardSeat,
    CardVersion,
    Cut,
    EarlierKey,
    HandCheck,
    SealKey,
    SheetLine,
    Signature,
    UpCard,
)
from scoring.rules.evidence.sealing import (
    FIRST_PREVIOUS,
    SealStatement,
    canonical_json,
    digest_signature,
    public_key_hex,
    sha256_hex,
)
from scoring.seals.selectors.keys import (
    bytes_to_vouch,
    certificate_name,
    cipher,
    installation_key,
    own_public_key,
    publics_of_known_secrets,
)
from scoring.seals.selectors.p12_files import DocumentCertificate, read_certificate
from scoring.seals.selectors.versions import (
    author_digest,
    check_digest,
    line_digest,
    signed_side_of,
    signed_sides,
    up_card_digest,
)
from tournament.core.permissions import Actor, require
from tournament.core.selectors.log import format_time, row_digest
from tournament.core.services.record import Write, lock_chain, writing
from tournament.errors import DomainError
from tournament.intake import CERTIFICATES, Damaged, read_in_own_process
from tournament.models import LogSeal, Tournament
from tournament.models.base import Fact
from tournament.templatetags.gin import day_in_year


def record_version(write: Write, state: CardState) -> CardVersion:
    """Return the version of the card's current content.

    The version is created when this content is signed for the first time.
    """
    if state.version is not None:
        return state.version
    known = CardVersion.objects.filter(card=state.card, digest=state.digest).first()
    if known is not None:
        return known
    made = CardVersion.objects.create(
        card=state.card,
        number=CardVersion.objects.filter(card=state.card).count() + 1,
        digest=state.digest,
        content=state.content.as_bytes().decode(),
        facts=state.facts.counts(),
        **write.fact_fields(),
    )
    _log(write, "versions", made, made.card_id, made.digest, number=made.number)
    return made


def log_lines(write: Write, *lines: SheetLine) -> None:
    """Log a digest of each line, so that a later change of the line shows.

    With the first line of a card, record the names of its current players.
    """
    _record_names({line.card_id for line in lines if line.number == 1 and line.supersedes_id is None})
    for line in lines:
        _log(write, "lines", line, line.card_id, line_digest(line), written=author_digest(line))


def log_cut(write: Write, cut: Cut) -> None:
    """Log a digest of who keeps score, or of what was drawn at the table."""
    _log(write, "cuts", cut, cut.card_id, row_digest(cut))


def log_up_card(write: Write, up: UpCard) -> None:
    """Log a digest of an up card, because its time is evidence."""
    _log(write, "up_cards", up, up.card_id, up_card_digest(up))


def log_check(write: Write, check: HandCheck) -> None:
    """Log a digest of what another keeper reported about a hand."""
    _log(write, "checks", check, check.line.card_id, check_digest(check))


def log_row(write: Write, kind: str, fact: Fact) -> None:
    """Log a digest of a whole row, such as a ruling, its findings, its effects, or the terms of cards."""
    write.log_digest(kind, fact)


def log_closing(write: Write, closing: CardClosed) -> None:
    """Log a digest of how a game was closed before its end."""
    if not closing.card.lines.exists():
        _record_names({closing.card_id})
    _log(write, "closings", closing, closing.card_id, row_digest(closing))


def log_signature(write: Write, state: CardState, signature: Signature) -> None:
    """Log a digest of all that is known of a signature."""
    digest = digest_signature(signed_side_of(state, signature), signature.digest)
    _log(write, "signatures", signature, signature.card_id, digest)


def record_posting(write: Write, state: CardState) -> CardPosted:
    """Post the card, which then counts, and seal it."""
    posted = CardPosted.objects.create(card=state.card, digest=state.digest, **write.fact_fields())
    write.about(state.card, posted=state.digest)
    seal = _seal(write, state, posted.at)
    _log(write, "seals", seal, state.card.pk, seal.digest, number=seal.number)
    return posted


def seal_bytes(content: bytes) -> tuple[str, str]:
    """Return the installation's signature on these bytes, and the public half of the key that made it."""
    key = installation_key()
    return key.sign(content).hex(), public_key_hex(key)


def _record_names(cards: Collection[int]) -> None:
    """Record the names of the current players, since a substitute may have come after a card was opened."""
    if not cards:
        return
    others = CardSeat.objects.filter(card__in=cards, entrant__isnull=False).exclude(name=F("entrant__name"))
    for seat in others.select_related("entrant"):
        seat.name = seat.entrant.name if seat.entrant else seat.name
        seat.save(update_fields=["name"])


def _seal(write: Write, state: CardState, posted_at: datetime) -> CardSeal:
    # The seals of a tournament are one chain, so two must not be added at the same end. SQLite has only one writer.
    if connection.features.has_select_for_update:
        lock_chain(write.tournament)
    version, key = record_version(write, state), installation_key()
    last_number, last_digest, log_row, log_digest, key_row = _load_ends(write.tournament, public_key_hex(key))
    statement = SealStatement(
        card=state.card.token,
        event=state.facts.event,
        match=state.card.match.ident,
        game=state.card.game,
        version=version.number,
        digest=state.digest,
        signatures=signed_sides(state, state.digest),
        posted_at=format_time(posted_at),
        number=last_number + 1,
        previous=last_digest,
        log_row=log_row,
        log_digest=log_digest,
    )
    text = canonical_json(statement.as_json())
    return CardSeal.objects.create(
        version=version,
        key_id=key_row or SealKey.objects.get_or_create(public=public_key_hex(key))[0].pk,
        number=statement.number,
        statement=text.decode(),
        digest=sha256_hex(text),
        previous=statement.previous,
        signature=key.sign(text).hex(),
        **write.fact_fields(),
    )


def _load_ends(tournament: Tournament, public: str) -> tuple[int, str, int, str, int | None]:
    """Return the ends of a tournament's chains, loaded in one query. The chain must be locked.

    These are the number and digest of the last seal, the last row of the log with its digest, and the row of the key
    that seals, or None if it has sealed nothing yet.
    """
    seals = CardSeal.objects.filter(version__card__match__event__tournament=OuterRef("pk")).order_by("-pk")
    row = Tournament.objects.filter(pk=tournament.pk).values_list(
        Subquery(seals.values("number")[:1]),
        Subquery(seals.values("digest")[:1]),
        "log_head__seq",
        "log_head__digest",
        Subquery(SealKey.objects.filter(public=public).values("pk")[:1]),
    )
    number, digest, log_rows, log, key = row.get()
    return number or 0, digest or FIRST_PREVIOUS, log_rows or 0, log or FIRST_PREVIOUS, key


def _log(write: Write, kind: str, fact: Model, card: int, digest: str, **more: object) -> None:
    """Add an entry to the log row.

    One act may write on many cards: each entry names its own, and the row names them all.
    """
    write.outcome.setdefault("on_cards", {})[str(card)] = True
    write.outcome.setdefault(kind, []).append({"pk": fact.pk, **more, "digest": digest, "card": card})


# --- Vouch for earlier keys after the secrets of an installation were lost -------------------------------------------


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A key whose secret is not known here: its seals on cards and on the log, and when it sealed its last card."""

    public: str
    cards: int
    logs: int
    last: datetime | None


def load_keys_in_use() -> list[KeyInUse]:
    """Return the keys that sealed score cards or logs here, and whose secrets this process does not have."""
    cards = {one.public: one for one in SealKey.objects.annotate(count=Count("seals"), last=Max("seals__at"))}
    logs = Counter(LogSeal.objects.order_by().values_list("public", flat=True))
    unknown = sorted((cards.keys() | logs.keys()) - publics_of_known_secrets())
    return [
        KeyInUse(public, getattr(cards.get(public), "count", 0), logs[public], getattr(cards.get(public), "last", None))
        for public in unknown
    ]


def keep_earlier_keys(keys: Iterable[KeyInUse]) -> None:
    """Vouch for these keys with the key of this installation. Their seals then read “genuine, by an earlier key”."""
    key, until = installation_key(), timezone.now()
    with transaction.atomic():
        for key_in_use in keys:
            row = EarlierKey(public=key_in_use.public, until=until, vouched_by=own_public_key())
            row.signature = key.sign(bytes_to_vouch(row)).hex()
            EarlierKey.objects.filter(public=key_in_use.public).delete()
            row.save()


# --- The certificate of a tournament ---------------------------------------------------------------------------------


def set_certificate(tournament: Tournament, p12: bytes, password: str, *, by: Actor) -> DocumentCertificate:
    """Store the certificate by which the tournament's PDFs are signed as documents, in place of an earlier one.

    Raises:
        DomainError: `bad-certificate`, `expired`.
    """
    require(by, "direct", tournament)
    try:
        read = read_in_own_process(CERTIFICATES, read_certificate, p12, password)
    except Damaged:
        raise DomainError(
            "bad-certificate",
            _(
                "This file does not open with this password, or it has no key. Export the certificate with "
                "its private key as .p12 or .pfx, and enter that file's password."
            ),
        ) from None
    if not read.is_valid(timezone.now()):
        raise DomainError(
            "expired",
            _("This certificate is valid from %(first)s to %(last)s, not today. Choose another one.")
            % {"first": day_in_year(read.starts), "last": day_in_year(read.expires)},
        )
    with writing(tournament, verb="certificate.set", by=by) as write:
        write.about(tournament, certificate=read.subject, fingerprint=read.fingerprint)
        # Both steps are part of one transaction, so anybody who reads meanwhile gets the earlier certificate.
        content = json.dumps({"p12": base64.b64encode(read.p12).decode(), "password": read.password})
        default_storage.delete(certificate_name(tournament))
        default_storage.save(certificate_name(tournament), ContentFile(cipher().encrypt(content.encode())))
    return read


def remove_certificate(tournament: Tournament, *, by: Actor) -> None:
    require(by, "direct", tournament)
    with writing(tournament, verb="certificate.removed", by=by) as write:
        write.about(tournament)
        default_storage.delete(certificate_name(tournament))
