"""Use the log as evidence: load its digests of database rows, check its seals, and export it as a file."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from django.db.models import Model, Q

from scoring.models import Card, CardSeal, CardVersion, Signature
from scoring.rules.evidence.sealing import (
    LogFile,
    VerificationFault,
    check_log_file,
    compare_log_rows,
    encode_log_end,
    encode_log_row,
    encode_log_start,
    encode_public_key,
    encode_signable_log,
    is_signed_by,
    parse_seal_statement,
)
from scoring.seals.selectors.keys import get_installation_key, is_trusted_key, load_trusted_public_keys
from tournament import __version__
from tournament.core.selectors.left_out import LeftOutParts, load_left_out_parts
from tournament.core.selectors.log import (
    GENESIS_DIGEST,
    SEALING_VERBS,
    check_log_chain,
    compute_log_entry_digest,
    compute_seal_digest,
    make_log_entry_content,
    make_log_seal_code,
    make_log_seal_statement,
)
from tournament.core.selectors.rows import RecordedKeys, RowsWithoutLog, load_recorded_keys, load_rows_without_log
from tournament.intake import LOG_FILE_LIMITS, read_in_subprocess
from tournament.lazy_text import join_texts, lazy_text
from tournament.models import AuditEntry, Event, LogSeal, Tournament

Row = TypeVar("Row", bound=Model)

LOGGED_ROW_NAME_BY_KIND: Final = {
    "lines": lazy_text("a hand"),
    "cuts": lazy_text("a cut or draw"),
    "signatures": lazy_text("a signature"),
    "versions": lazy_text("a version"),
    "seals": lazy_text("a seal"),
    "results": lazy_text("a result"),
    "up_cards": lazy_text("an up card"),
    "checks": lazy_text("a keeper's check of a hand"),
    "disputes": lazy_text("a call for a ruling"),
    "findings": lazy_text("the findings on a call"),
    "rulings": lazy_text("a ruling"),
    "conduct": lazy_text("a penalty"),
    "card_terms": lazy_text("a setting of the correction period"),
    "ledger": lazy_text("a line of the ledger"),
    "paid_out": lazy_text("a payout"),
    "pool_entries": lazy_text("an entry in a side pool"),
    "pool_results": lazy_text("the result of a side pool"),
    "pool_payouts": lazy_text("which side pool a payout is of"),
    "payout_signatures": lazy_text("a signature for a payout"),
    "withholdings": lazy_text("what was withheld of a payout"),
    "refund_sources": lazy_text("how the money of a refund was paid"),
    "event_money": lazy_text("added money, an expense, a tax remittance or a payment to charity"),
    "finishes": lazy_text("a finish"),
    "ended_early": lazy_text("the reason for an early finish"),
    "seatings": lazy_text("table assignments"),
    "stages": lazy_text("a stage"),
    "closings": lazy_text("the early end of a game"),
    "player_corrections": lazy_text("the correction of a player"),
}
"""A name for one row of each kind. The keys are the kinds of rows whose digests are in the log."""
_MODELS_ALWAYS_LOGGED: Final[dict[str, type[Model]]] = {"versions": CardVersion, "signatures": Signature}
"""The kinds of rows that the log must contain, except rows that were imported from a file without a log."""
MIN_ROWS_FOR_FULL_LOAD: Final = 500
"""If at least this many log rows are requested, it is faster to load all rows."""
MAX_LISTED_DIFFERING_ROWS: Final = 20
"""The maximum number of differing rows to list."""


@dataclass(frozen=True, slots=True)
class _LoggedRow:
    """The log's information about one database row."""

    seq: int
    """The log row's number."""
    card: int | None
    """The primary key of the row's card.

    It is None if the row belongs to no card, or if an old log row does not name the card.
    """
    digest: str
    number: int | None = None
    author_digest: str = ""
    """The digest of the author of a score line. It is empty in old log rows."""


@dataclass(frozen=True, slots=True)
class LoggedDigests:
    """The digests that the log contains, keyed by kind and primary key, and the numbers of altered log rows."""

    kinds: dict[str, dict[int, _LoggedRow]] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()
    keys: RecordedKeys = field(default_factory=RecordedKeys)
    without_log: RowsWithoutLog = field(default_factory=RowsWithoutLog)
    left_out: LeftOutParts = field(default_factory=LeftOutParts)

    def restore_original_keys(self, kind: str, row: Row) -> Row:
        """Return the row with the primary keys that it had when it was logged.

        An import may have changed the row's primary keys since then.
        """
        logged = self.get_rows(kind).get(row.pk)
        return self.keys.restore_row(row, logged.seq) if logged is not None else row

    def restore_card(self, card: Card, log_row: int) -> Card:
        """Return the card with the token that it had when the log row with this number was recorded.

        The token is part of the address of the card's page. If a tournament is imported as a copy, its cards get new
        tokens.
        """
        return self.keys.restore_row(card, log_row)

    def get_rows(self, kind: str) -> dict[int, _LoggedRow]:
        return self.kinds.get(kind, {})

    def check_row(self, kind: str, pk: int, digest: str, name: str) -> list[VerificationFault]:
        logged = self.get_rows(kind).get(pk)
        model = _MODELS_ALWAYS_LOGGED.get(kind)
        if logged is None and model is not None and pk in self.without_log.list_keys(model):
            return []
        if logged is None:
            return [VerificationFault("log", lazy_text("The log has no row for %(name)s.", name=name))]
        if logged.seq in self.changed:
            text = lazy_text("Row %(row)s of the log, about %(name)s, was changed.", row=logged.seq, name=name)
            return [VerificationFault(f"log row {logged.seq}", text)]
        if logged.digest != digest:
            text = lazy_text("It is not what row %(row)s of the log says: %(name)s.", row=logged.seq, name=name)
            return [VerificationFault(name, text)]
        return []


def load_logged_digests(event: Event, card: Card | None = None) -> LoggedDigests:
    """Load the digests in an event's log, or only those that concern one card."""
    has_digests = Q(data__has_any_keys=[kind for kind in LOGGED_ROW_NAME_BY_KIND if kind != "versions"])
    keys = load_recorded_keys(event.tournament_id)
    rows = AuditEntry.objects.filter(event=event).filter(has_digests)
    if card is not None:
        rows = rows.filter(_make_card_filter(keys.list_earlier_keys(Card._meta.label, card.pk)))
    kinds: dict[str, dict[int, _LoggedRow]] = {kind: {} for kind in LOGGED_ROW_NAME_BY_KIND}
    changed = set()
    for row in rows.iterator():
        if compute_log_entry_digest(row) != row.digest:
            changed.add(row.seq)
        for kind in LOGGED_ROW_NAME_BY_KIND:
            for entry in _list_entries(row.data, kind):
                number, author = entry.get("number"), str(entry.get("written", ""))
                named = entry.get("card", None if "cards" in row.data else row.data.get("card"))
                logged_card = (
                    keys.find_current_key(Card._meta.label, named, row.seq) if isinstance(named, int) else None
                )
                pk = keys.find_current_key("", entry["pk"], row.seq)
                kinds[kind][pk] = _LoggedRow(row.seq, logged_card, entry["digest"], number, author)
    without_log = load_rows_without_log(event.tournament_id)
    left_out = load_left_out_parts(event.tournament_id) if keys.imports else LeftOutParts()
    return LoggedDigests(kinds, frozenset(changed), keys, without_log, left_out)


def restore_recorded_row(event: Event, kind: str, row: Row) -> Row:
    """Return a row of an event with the primary keys that it had when it was logged.

    The digests on printed papers were computed with these keys.
    """
    return (
        load_logged_digests(event).restore_original_keys(kind, row)
        if load_recorded_keys(event.tournament_id).imports
        else row
    )


def _make_card_filter(cards: list[int]) -> Q:
    """Return a filter for log rows that may be about a card. Old log rows do not always name their card.

    `cards` contains the card's current and earlier primary keys, because the log can use any of them.
    """
    older = Q(data__card__in=cards) | ~Q(data__has_key="card") | Q(data__has_key="cards")
    return Q(data__on_cards__has_any_keys=[str(card) for card in cards]) | (~Q(data__has_key="on_cards") & older)


def _list_entries(data: Any, kind: str) -> list[dict[str, Any]]:
    """Return the valid entries of one kind in a log row's data, and skip all others."""
    entries = data.get(kind, []) if isinstance(data, dict) else []
    if not isinstance(entries, list):
        return []
    return [entry for entry in entries if isinstance(entry, dict) and {"pk", "digest"} <= entry.keys()]


# --- Seals on the log ------------------------------------------------------------------------------------------------


def check_seals_against_log(tournament: Tournament, seals: Iterable[CardSeal]) -> list[VerificationFault]:
    """Return a fault for the first seal that contradicts the log.

    Each seal contains the digest of the last log row at the time of sealing. If that row or any row before it is
    rewritten afterwards, the last row's digest no longer matches.
    """
    ends = [(seal.number, *_find_log_end_at_sealing(seal)) for seal in seals]
    wanted = [row for _, row, _ in ends if row]
    rows = AuditEntry.objects.filter(tournament=tournament)
    digests = dict(
        (rows.filter(seq__in=wanted) if len(wanted) < MIN_ROWS_FOR_FULL_LOAD else rows).values_list("seq", "digest")
    )
    last_good = 0
    for number, row, digest in ends:
        if row and digests.get(row) != digest:
            text = lazy_text(
                "The log was rewritten between rows %(first)s and %(last)s: seal %(number)s names another digest.",
                first=last_good + 1,
                last=row,
                number=number,
            )
            return [VerificationFault(f"log row {row}", text)]
        last_good = row or last_good
    return []


def _find_log_end_at_sealing(seal: CardSeal) -> tuple[int, str]:
    """Return the number and digest of the last log row at the time of sealing.

    The number is 0 for older seals, which did not record it.
    """
    statement = parse_seal_statement(seal.statement) or {}
    row, digest = statement.get("log_row"), statement.get("log_digest")
    return (row, digest) if isinstance(row, int) and isinstance(digest, str) else (0, "")


def check_log_seals(tournament: Tournament) -> list[VerificationFault]:
    """Return the faults of the log's own seals: altered or missing seals, and rows that were changed after sealing."""
    faults, previous, expected = [], GENESIS_DIGEST, 0
    digests = dict(AuditEntry.objects.filter(tournament=tournament).values_list("seq", "digest"))
    sealed = set()
    for seal in LogSeal.objects.filter(tournament=tournament).order_by("number"):
        expected += 1
        sealed.add(seal.log_row)
        if (seal.number, seal.previous) != (expected, previous):
            text = lazy_text("Seal %(number)s of the log does not follow the seal before it.", number=seal.number)
            faults.append(VerificationFault("seals of the log", text))
        faults += _find_seal_faults(seal, digests.get(seal.log_row))
        expected, previous = seal.number, compute_seal_digest(seal)
    # Rows that are older than the seals of the log have no row digests, so they are left out.
    rows = AuditEntry.objects.filter(tournament=tournament, verb__in=SEALING_VERBS).exclude(row_digests={})
    for row, verb in rows.exclude(seq__in=sealed).order_by("seq").values_list("seq", "verb"):
        text = lazy_text("The seal on row %(row)s of the log (%(verb)s) is missing.", row=row, verb=verb)
        faults.append(VerificationFault(f"log row {row}", text))
    return faults


def _find_seal_faults(seal: LogSeal, digest: str | None) -> list[VerificationFault]:
    place = f"log row {seal.log_row}"
    if not is_signed_by(seal.public, make_log_seal_statement(seal), seal.signature):
        return [VerificationFault(place, lazy_text("Seal %(number)s of the log was changed.", number=seal.number))]
    if not is_trusted_key(seal.public):
        text = lazy_text("Seal %(number)s of the log was made by another key.", number=seal.number)
        return [VerificationFault(place, text)]
    if seal.log_digest != digest:
        text = lazy_text(
            "The log was rewritten up to row %(row)s or before it: seal %(number)s of the log names another digest.",
            row=seal.log_row,
            number=seal.number,
        )
        return [VerificationFault(place, text)]
    return []


def read_seal_code(typed: str) -> tuple[int, str] | None:
    """Parse a printed seal code. Return the log row and the normalized code, or None if the text is not a seal code.

    >>> read_seal_code("r214 cqvk-f5yi-wwo9")
    (214, 'R214-CQVK-F5Y1-WW09')
    >>> read_seal_code("93b09c6b03a27e") is None
    True
    """
    text = re.sub(r"[\s\-–.:]", "", typed).upper().replace("O", "0").replace("I", "1").replace("L", "1")
    match = re.fullmatch(r"R([0-9]{1,9})([0-9A-Z]{4})([0-9A-Z]{4})([0-9A-Z]{4})", text)
    return (int(match[1]), f"R{int(match[1])}-{match[2]}-{match[3]}-{match[4]}") if match else None


def find_log_row_by_seal_code(row: int, code: str) -> tuple[AuditEntry, list[VerificationFault]] | None:
    """Return the log row with this seal code, and the faults in the log up to that row.

    Return None if there is no such row.
    """
    originals_first = AuditEntry.objects.filter(seq=row).order_by("tournament__is_copy", "pk")
    for entry in originals_first.select_related("tournament"):
        if make_log_seal_code(entry.seq, entry.digest) == code:
            chain = check_log_chain(entry.tournament, row)
            seals = LogSeal.objects.filter(tournament=entry.tournament, log_row=row)
            faults = [fault for seal in seals for fault in _find_seal_faults(seal, entry.digest)]
            if not chain.is_intact:
                faults.append(
                    VerificationFault("log", lazy_text("The log is broken at row %(row)s.", row=chain.broken_at))
                )
            return entry, faults
    return None


# --- The log as a file -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _LogFileVerdict:
    """The result of checking a log file. `tournament` is None if the tournament is not in this database."""

    rows: int
    tournament: Tournament | None
    faults: tuple[VerificationFault, ...]


def write_log_file(tournament: Tournament) -> bytes:
    """Return the log as a file, with all data that the digests cover, and a seal at the end."""
    parts, head, rows = [encode_log_start(tournament.slug, __version__)], GENESIS_DIGEST, 0
    for entry in AuditEntry.objects.filter(tournament=tournament).order_by("seq").iterator():
        parts.append(encode_log_row(make_log_entry_content(entry), entry.digest))
        head, rows = entry.digest, rows + 1
    key = get_installation_key()
    signature = key.sign(encode_signable_log(tournament.slug, head)).hex()
    return b"".join([*parts, encode_log_end(rows, head, encode_public_key(key), signature)])


def check_uploaded_log(content: bytes) -> _LogFileVerdict:
    """Check a log file and compare it with the database.

    Raises:
        FileRefused: Reading the file takes too much time or memory.
    """
    return compare_log_with_database(
        *read_in_subprocess(LOG_FILE_LIMITS, check_log_file, content, load_trusted_public_keys())
    )


def compare_log_with_database(file: LogFile, faults: list[VerificationFault]) -> _LogFileVerdict:
    """Compare a log file with the log of the tournament that it names."""
    tournament = Tournament.objects.filter(slug=file.tournament).first()
    if tournament is None:
        text = lazy_text("There is no tournament “%(name)s” here to compare it with.", name=file.tournament)
        faults.append(VerificationFault("tournament", text))
    else:
        faults += _compare_rows(file, tournament)
    return _LogFileVerdict(len(file.rows), tournament, tuple(dict.fromkeys(faults)))


def _compare_rows(file: LogFile, tournament: Tournament) -> list[VerificationFault]:
    entries = {entry.seq: entry for entry in AuditEntry.objects.filter(tournament=tournament)}
    faults = []
    for row in file.rows:
        if not isinstance(row.get("seq"), int):
            continue
        entry = entries.get(row["seq"])
        if entry is None:
            text = lazy_text("Row %(row)s of the file is not on record here.", row=row.get("seq"))
            faults.append(VerificationFault("record", text))
            continue
        parts = compare_log_rows(row, make_log_entry_content(entry))
        if parts:
            text = lazy_text(
                "Row %(row)s of the log is not as it is on record here: %(parts)s.",
                row=entry.seq,
                parts=join_texts(", ", parts),
            )
            faults.append(VerificationFault(f"log row {entry.seq}", text))
    return faults[:MAX_LISTED_DIFFERING_ROWS]
