"""Record signed versions of cards, add digests of rows to the log, seal posted (final) cards, and set the certificate.

Functions with a `WriteTransaction` argument run in the caller's transaction.
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
    NO_PREVIOUS_DIGEST,
    SealStatement,
    compute_signature_digest,
    encode_canonical_json,
    encode_public_key,
    sha256_hex,
)
from scoring.seals.selectors.keys import (
    encode_signable_key,
    get_installation_key,
    get_installation_public_key,
    list_configured_public_keys,
    make_certificate_cipher,
    make_certificate_path,
)
from scoring.seals.selectors.p12_files import DocumentCertificate, read_certificate
from scoring.seals.selectors.versions import (
    compute_hand_check_digest,
    compute_line_author_digest,
    compute_line_digest,
    compute_up_card_digest,
    list_card_signatures,
    make_card_signature,
)
from tournament.core.permissions import Actor, require_permission
from tournament.core.selectors.log import compute_fact_digest, format_time
from tournament.core.services.record import WriteTransaction, lock_log_chain, writing
from tournament.errors import DomainError
from tournament.intake import CERTIFICATE_FILE_LIMITS, DamagedFile, read_in_subprocess
from tournament.models import LogSeal, Tournament
from tournament.templatetags.gin import day_in_year


def get_or_create_card_version(write: WriteTransaction, state: CardState) -> CardVersion:
    """Return the version with the card's current content. The first signature on new content creates a version."""
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
        facts=state.facts.count_by_kind(),
        **write.fact_fields(),
    )
    _add_digest_to_log(write, "versions", made, made.card_id, made.digest, number=made.number)
    return made


def add_lines_to_log(write: WriteTransaction, *lines: SheetLine) -> None:
    """Add a digest of each line to the log.

    When a card gets its first line, the current players' names are stored on the card as well.
    """
    _record_current_names({line.card_id for line in lines if line.number == 1 and line.supersedes_id is None})
    for line in lines:
        _add_digest_to_log(
            write, "lines", line, line.card_id, compute_line_digest(line), written=compute_line_author_digest(line)
        )


def add_deck_cut_to_log(write: WriteTransaction, cut: Cut) -> None:
    _add_digest_to_log(write, "cuts", cut, cut.card_id, compute_fact_digest(cut))


def add_up_card_to_log(write: WriteTransaction, up: UpCard) -> None:
    _add_digest_to_log(write, "up_cards", up, up.card_id, compute_up_card_digest(up))


def add_hand_check_to_log(write: WriteTransaction, check: HandCheck) -> None:
    _add_digest_to_log(write, "checks", check, check.line.card_id, compute_hand_check_digest(check))


def add_closing_to_log(write: WriteTransaction, closing: CardClosed) -> None:
    if not closing.card.lines.exists():
        _record_current_names({closing.card_id})
    _add_digest_to_log(write, "closings", closing, closing.card_id, compute_fact_digest(closing))


def add_signature_to_log(write: WriteTransaction, state: CardState, signature: Signature) -> None:
    digest = compute_signature_digest(make_card_signature(state, signature), signature.digest)
    _add_digest_to_log(write, "signatures", signature, signature.card_id, digest)


def post_and_seal_card(write: WriteTransaction, state: CardState) -> CardPosted:
    """Post and seal the card, so that its result counts."""
    posted = CardPosted.objects.create(card=state.card, digest=state.digest, **write.fact_fields())
    write.about(state.card, posted=state.digest)
    seal = _seal_card(write, state, posted.at)
    _add_digest_to_log(write, "seals", seal, state.card.pk, seal.digest, number=seal.number)
    return posted


def seal_bytes(content: bytes) -> tuple[str, str]:
    """Sign these bytes with the installation's key. Return the signature and the public key, both in hexadecimal."""
    key = get_installation_key()
    return key.sign(content).hex(), encode_public_key(key)


def _record_current_names(cards: Collection[int]) -> None:
    """Store the current players' names on the cards.

    A substitute may have joined after a card was opened.
    """
    if not cards:
        return
    others = CardSeat.objects.filter(card__in=cards, entrant__isnull=False).exclude(name=F("entrant__name"))
    for seat in others.select_related("entrant"):
        seat.name = seat.entrant.name if seat.entrant else seat.name
        seat.save(update_fields=["name"])


def _seal_card(write: WriteTransaction, state: CardState, posted_at: datetime) -> CardSeal:
    # Two seals must not follow the same seal, so the chain is locked. SQLite has only one writer and needs no lock.
    if connection.features.has_select_for_update:
        lock_log_chain(write.tournament)
    version, key = get_or_create_card_version(write, state), get_installation_key()
    last_number, last_digest, log_row, log_digest, key_row = _load_last_seal_and_log_row(
        write.tournament, encode_public_key(key)
    )
    statement = SealStatement(
        card=state.card.token,
        event=state.facts.event,
        match=state.card.match.ident,
        game=state.card.game,
        version=version.number,
        digest=state.digest,
        signatures=list_card_signatures(state, state.digest),
        posted_at=format_time(posted_at),
        number=last_number + 1,
        previous=last_digest,
        log_row=log_row,
        log_digest=log_digest,
    )
    text = encode_canonical_json(statement.as_json())
    return CardSeal.objects.create(
        version=version,
        key_id=key_row or SealKey.objects.get_or_create(public=encode_public_key(key))[0].pk,
        number=statement.number,
        statement=text.decode(),
        digest=sha256_hex(text),
        previous=statement.previous,
        signature=key.sign(text).hex(),
        **write.fact_fields(),
    )


def _load_last_seal_and_log_row(tournament: Tournament, public: str) -> tuple[int, str, int, str, int | None]:
    """Load the last seal and the last log row of a tournament in one query.

    Returns:
        The number and digest of the last seal, the number and digest of the last log row, and the primary key of the
        `SealKey` (None if the key has not sealed anything yet).
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
    return number or 0, digest or NO_PREVIOUS_DIGEST, log_rows or 0, log or NO_PREVIOUS_DIGEST, key


def _add_digest_to_log(write: WriteTransaction, kind: str, fact: Model, card: int, digest: str, **more: object) -> None:
    """Add the digest of a database row to the log entry of this write transaction.

    The log entry then also names the card.
    """
    write.outcome.setdefault("on_cards", {})[str(card)] = True
    write.outcome.setdefault(kind, []).append({"pk": fact.pk, **more, "digest": digest, "card": card})


# --- Keys whose secrets were lost ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A key whose secret is not in the settings.

    `cards` and `logs` are the numbers of cards and logs that the key sealed.
    """

    public: str
    cards: int
    logs: int
    last: datetime | None
    """When the key last sealed a card."""


def load_unknown_keys() -> list[UnknownKey]:
    """Return the keys that sealed score cards or logs in this database, but whose secrets are not in the settings."""
    cards = {row.public: row for row in SealKey.objects.annotate(count=Count("seals"), last=Max("seals__at"))}
    logs = Counter(LogSeal.objects.order_by().values_list("public", flat=True))
    unknown = sorted((cards.keys() | logs.keys()) - list_configured_public_keys())
    return [
        UnknownKey(
            public, getattr(cards.get(public), "count", 0), logs[public], getattr(cards.get(public), "last", None)
        )
        for public in unknown
    ]


def confirm_trusted_keys(publics: Iterable[str]) -> None:
    """Confirm each public key with the installation's current key, so that its earlier seals remain trusted."""
    own_key, until = get_installation_key(), timezone.now()
    with transaction.atomic():
        for public in publics:
            row = EarlierKey(public=public, until=until, vouched_by=get_installation_public_key())
            row.signature = own_key.sign(encode_signable_key(row)).hex()
            EarlierKey.objects.filter(public=public).delete()
            row.save()


# --- The certificate of a tournament ---------------------------------------------------------------------------------


def set_certificate(tournament: Tournament, p12: bytes, password: str, *, by: Actor) -> DocumentCertificate:
    """Store the certificate that signs the tournament's PDFs. It replaces any earlier certificate.

    Raises:
        DomainError: `bad-certificate`, `expired`.
    """
    require_permission(by, "direct", tournament)
    try:
        read = read_in_subprocess(CERTIFICATE_FILE_LIMITS, read_certificate, p12, password)
    except DamagedFile:
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
        # Both changes to the storage are one transaction, so readers still get the earlier certificate meanwhile.
        content = json.dumps({"p12": base64.b64encode(read.p12).decode(), "password": read.password})
        default_storage.delete(make_certificate_path(tournament))
        default_storage.save(
            make_certificate_path(tournament), ContentFile(make_certificate_cipher().encrypt(content.encode()))
        )
    return read


def remove_certificate(tournament: Tournament, *, by: Actor) -> None:
    require_permission(by, "direct", tournament)
    with writing(tournament, verb="certificate.removed", by=by) as write:
        write.about(tournament)
        default_storage.delete(make_certificate_path(tournament))
