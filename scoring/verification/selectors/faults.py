"""Find faults in score cards and rows: differences from what was signed, sealed, or logged."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from django.db.models import Model, QuerySet
from django.utils.dateparse import parse_datetime

from pairing.models import MatchResult, Seating, Stage
from pairing.stages.selectors.records import compute_result_digest
from scoring.card_state.selectors.state import SCOREKEEPER_SIDE, CardState, make_card_rules
from scoring.models import (
    Card,
    CardClosed,
    CardTerms,
    CardVersion,
    ConductPenalty,
    Dispute,
    DisputeFacts,
    HandCheck,
    Ruling,
    Signature,
    UpCard,
)
from scoring.rules.evidence.content import VersionChange, compare_card_versions
from scoring.rules.evidence.sealing import (
    VerificationFault,
    check_seal,
    check_signatures,
    compute_signature_digest,
    parse_seal_statement,
    sha256_hex,
)
from scoring.rules.variants.variant import is_totals_record
from scoring.seals.selectors.keys import is_trusted_key
from scoring.seals.selectors.log import LOGGED_ROW_NAME_BY_KIND, LoggedDigests
from scoring.seals.selectors.versions import (
    BAD_LINE_ERRORS,
    compute_hand_check_digest,
    compute_line_author_digest,
    compute_line_digest,
    compute_up_card_digest,
    list_card_signatures,
    make_card_signature,
    make_version_state,
    read_stored_seal,
)
from tournament.core.selectors.log import compute_fact_digest
from tournament.errors import InvalidInput
from tournament.lazy_text import CapitalizedText, join_texts, lazy_text
from tournament.models import (
    EndedEarly,
    Event,
    EventMoney,
    Finish,
    LedgerLine,
    PaidOut,
    PayoutSignature,
    PlayerCorrection,
    RefundSource,
    SidePoolEntry,
    SidePoolPayout,
    SidePoolResult,
    Withholding,
)

MISSING_ROW_NAME_BY_KIND: Final = {
    "lines": lazy_text("a hand of this card"),
    "cuts": lazy_text("a cut or draw of this card"),
    "signatures": lazy_text("a signature of this card"),
    "versions": lazy_text("a version of this card"),
    "seals": lazy_text("a seal of this card"),
}
"""Names for kinds of missing rows, as shown on the card's own page. The keys are the kinds in the log."""
CONTENT_PART_NAMES: Final = {
    "sides": lazy_text("names"),
    "rules": lazy_text("the rule sheet"),
    "closed": lazy_text("how it was closed"),
    "drawn": lazy_text("the draw at the table"),
    "totals": lazy_text("totals"),
    "winner": lazy_text("winner"),
    "keeper": lazy_text("keeper"),
    "table": lazy_text("table"),
    "settlement": lazy_text("settlement"),
    "lines": lazy_text("lines"),
}
"""The names of the parts of a card's content."""


def find_card_faults(state: CardState, versions: list[CardVersion], log: LoggedDigests) -> list[VerificationFault]:
    """Return a card's faults: versions that cannot be reproduced, and altered rows, signatures, or seals."""
    faults = [*_find_line_faults(state, log)]
    for cut in state.facts.cuts:
        if cut.pk in log.get_rows("cuts"):
            faults += log.check_row(
                "cuts",
                cut.pk,
                compute_fact_digest(log.restore_original_keys("cuts", cut)),
                lazy_text("the cut or draw for deal"),
            )
    faults += [
        *_find_missing_version_faults(versions),
        *_find_signature_faults(state, versions, log),
        *_find_missing_row_faults(state, versions, log),
    ]
    faults += [fault for version in versions for fault in _find_version_faults(state, version, log)]
    return list(dict.fromkeys(faults))


def _find_version_faults(state: CardState, version: CardVersion, log: LoggedDigests) -> list[VerificationFault]:
    faults = log.check_row("versions", version.pk, version.digest, _name_version(version))
    then, problem = _recompute_version(state, version)
    if sha256_hex(version.content) != version.digest:
        faults.append(_make_changed_content_fault(version, then))
    elif problem is not None:
        faults.append(problem)
    elif then is not None and then.digest != version.digest:
        faults += _make_changed_facts_faults(version, then)
    return [*faults, *_find_seal_faults(state, version, log)]


def _recompute_version(state: CardState, version: CardVersion) -> tuple[CardState | None, VerificationFault | None]:
    """Return the card as it was in this version, or a fault if it cannot be recomputed from the facts."""
    try:
        then = make_version_state(state, version)
        _ = then.digest
    except BAD_LINE_ERRORS as error:
        if isinstance(error, InvalidInput) and error.problems:
            why = error.problems[0].message
        else:
            why = lazy_text("A line cannot be read.")
        text = lazy_text(
            "Version %(number)s can no longer be counted from the hands. %(why)s", number=version.number, why=why
        )
        return None, VerificationFault("hands", text)
    return then, None


def _find_missing_version_faults(versions: list[CardVersion]) -> list[VerificationFault]:
    numbers = [version.number for version in versions]
    missing = sorted(set(range(1, max(numbers, default=0) + 1)) - set(numbers))
    return [
        VerificationFault(f"version {number}", lazy_text("Version %(number)s of the card is missing.", number=number))
        for number in missing
    ]


def _find_line_faults(state: CardState, log: LoggedDigests) -> Iterator[VerificationFault]:
    """Yield the faults of a card's logged lines. This works even if nobody has signed the card yet."""
    hands = {fact.pk: number for number, fact in enumerate(state.lines, start=1)}
    for line in state.facts.lines:
        logged = log.get_rows("lines").get(line.pk)
        if logged is None:
            continue
        place = state.name_line(hands[line.pk]) if line.pk in hands else lazy_text("a hand that was corrected")
        place = lazy_text("the totals") if is_totals_record(line.line) and line.pk in hands else place
        yield from log.check_row("lines", line.pk, compute_line_digest(log.restore_original_keys("lines", line)), place)
        if (
            logged.author_digest
            and logged.author_digest != compute_line_author_digest(line)
            and logged.seq not in log.changed
        ):
            text = lazy_text(
                "Row %(row)s of the log says otherwise about %(place)s: who wrote it, when, how or why.",
                row=logged.seq,
                place=place,
            )
            yield VerificationFault(place, text)


def _find_signature_faults(
    state: CardState, versions: list[CardVersion], log: LoggedDigests
) -> Iterator[VerificationFault]:
    """Yield a fault for each signature that differs from the log.

    Signatures older than the card's first version are skipped, because the log had no digests at that time.
    """
    since = {version.digest: version.at for version in versions}
    for signature in state.signatures.all_signatures:
        name = make_card_signature(state, signature).name
        title = lazy_text("the signature of %(name)s", name=name)
        is_logged = signature.pk in log.get_rows("signatures")
        if signature.digest in since and (is_logged or signature.at >= since[signature.digest]):
            digest = compute_signature_digest(make_card_signature(state, signature), signature.digest)
            for fault in log.check_row("signatures", signature.pk, digest, title):
                is_about_log = fault.place.startswith("log")
                yield fault if is_about_log else VerificationFault(f"signature {_get_side(signature)}", fault.message)
        elif is_logged:
            text = lazy_text("The signature of %(name)s covers a content that was never on this card.", name=name)
            yield VerificationFault(f"signature {_get_side(signature)}", text)


def _get_side(signature: Signature) -> str:
    return signature.seat.side if signature.seat is not None else SCOREKEEPER_SIDE


def _find_missing_row_faults(
    state: CardState, versions: list[CardVersion], log: LoggedDigests
) -> Iterator[VerificationFault]:
    """Yield a fault for each of the card's rows that is in the log but no longer in the database."""
    existing = {
        "lines": {line.pk for line in state.facts.lines},
        "cuts": {cut.pk for cut in state.facts.cuts},
        "signatures": {signature.pk for signature in state.signatures.all_signatures},
        "versions": {version.pk for version in versions},
        "seals": {version.seal.pk for version in versions if read_stored_seal(version) is not None},
    }
    for kind, keys in existing.items():
        for pk, logged in log.get_rows(kind).items():
            if logged.card == state.card.pk and pk not in keys:
                number = f" {logged.number}" if logged.number else ""
                place = "hands" if kind == "lines" else f"{kind.removesuffix('s')}{number}"
                yield VerificationFault(place, _describe_missing_row(MISSING_ROW_NAME_BY_KIND[kind], logged.seq))


def _describe_missing_row(name: str, row: int) -> str:
    return lazy_text("Row %(row)s of the log names %(what)s, and it is missing.", row=row, what=name)


def find_missing_card_rows(
    log: LoggedDigests, existing: Mapping[str, Collection[int]], cards: Collection[int]
) -> Iterator[VerificationFault]:
    """Yield faults for logged rows that are missing from the database together with their whole card.

    `existing` contains the primary keys of all rows by kind. `cards` contains the primary keys of all cards.
    """
    for kind in MISSING_ROW_NAME_BY_KIND:
        for pk, logged in log.get_rows(kind).items():
            if logged.card not in cards and pk not in existing[kind]:
                yield VerificationFault(kind, _describe_missing_row(LOGGED_ROW_NAME_BY_KIND[kind], logged.seq))


def _make_changed_content_fault(version: CardVersion, then: CardState | None) -> VerificationFault:
    place = f"version {version.number}"
    changed = lazy_text("The content that was kept of version %(number)s was changed.", number=version.number)
    try:
        content: Any = json.loads(version.content)
    except ValueError:
        return VerificationFault(place, join_texts(" ", [changed, lazy_text("It cannot be read.")]))
    if then is None or not isinstance(content, dict):
        return VerificationFault(place, changed)
    places = [
        describe_changed_part(each, then)
        for each in compare_card_versions(json.loads(then.content.as_bytes()), content)
    ]
    where = [lazy_text("Changed: %(places)s.", places=join_texts(", ", places))] if places else []
    return VerificationFault(place, join_texts(" ", [changed, *where]))


def _make_changed_facts_faults(version: CardVersion, then: CardState) -> list[VerificationFault]:
    changes = compare_card_versions(json.loads(version.content), json.loads(then.content.as_bytes()))
    lines = [each for each in changes if each.place == "lines"]
    places = [describe_changed_part(each, then) for each in lines or changes]
    if not places:
        missing = lazy_text(
            "The card is not as it was signed in version %(number)s: a correction is missing.", number=version.number
        )
        return [VerificationFault(_name_version(version), missing)]
    return [
        VerificationFault(
            place,
            lazy_text(
                "%(place)s is not as it was signed in version %(number)s.",
                place=CapitalizedText(place),
                number=version.number,
            ),
        )
        for place in places
    ]


def _name_version(version: CardVersion) -> str:
    return lazy_text("version %(number)s", number=version.number)


def describe_changed_part(change: VersionChange, state: CardState) -> str:
    """Return the name of the part of a card that changed, such as “hand 3”, “totals” or “names”."""
    if change.number is not None:
        return state.name_line(change.number)
    return CONTENT_PART_NAMES.get(change.place, change.place)


def _find_seal_faults(state: CardState, version: CardVersion, log: LoggedDigests) -> Iterator[VerificationFault]:
    sealed = read_stored_seal(version)
    if sealed is None:
        return
    number = version.seal.number
    yield from log.check_row("seals", version.seal.pk, version.seal.digest, lazy_text("seal %(number)s", number=number))
    yield from check_seal(sealed, digest=version.digest, version=version.number)
    if not is_trusted_key(sealed.public):
        yield VerificationFault(
            "seal", lazy_text("Seal %(number)s was made by another key than this installation's.", number=number)
        )
    statement = parse_seal_statement(sealed.statement)
    if statement is None:
        return
    if (statement.get("number"), statement.get("previous")) != (version.seal.number, version.seal.previous):
        yield VerificationFault(
            "seal", lazy_text("Seal %(number)s is not the one that its statement names.", number=number)
        )
    log_row = statement.get("log_row")
    if statement.get("card") != log.restore_card(state.card, log_row if isinstance(log_row, int) else 0).token:
        yield VerificationFault("seal", lazy_text("The seal was made on another card."))
    yield from check_signatures(statement, list_card_signatures(state, version.digest))
    posted = next((posting.at for posting in state.postings if posting.digest == version.digest), None)
    if posted is None:
        missing = lazy_text(
            "Version %(number)s is sealed as posted, but its posting is missing.", number=version.number
        )
        yield VerificationFault("posting", missing)
    elif posted != parse_datetime(str(statement.get("posted_at"))):
        changed = lazy_text("The time at which version %(number)s was posted was changed.", number=version.number)
        yield VerificationFault("posting", changed)


# --- Rows whose digests are in the log -------------------------------------------------------------------------------

_RowNamer = Callable[[Any], str]
_CHECKED_ROWS: Final[tuple[tuple[str, str, type[Model], str, _RowNamer], ...]] = (
    (
        "results",
        "results",
        MatchResult,
        "match__event",
        lambda one: lazy_text("the result of %(match)s", match=one.match.ident),
    ),
    ("decisions", "disputes", Dispute, "event", lambda one: lazy_text("call %(number)s for a ruling", number=one.pk)),
    (
        "decisions",
        "findings",
        DisputeFacts,
        "dispute__event",
        lambda one: lazy_text("the findings on call %(number)s", number=one.dispute_id),
    ),
    ("decisions", "rulings", Ruling, "dispute__event", lambda one: lazy_text("ruling %(number)s", number=one.number)),
    (
        "decisions",
        "conduct",
        ConductPenalty,
        "ruling__dispute__event",
        lambda one: lazy_text("a penalty of ruling %(number)s", number=one.ruling.number),
    ),
    ("decisions", "card_terms", CardTerms, "event", lambda _one: lazy_text("the correction period")),
    ("ledger", "ledger", LedgerLine, "event", lambda one: lazy_text("line %(number)s of the ledger", number=one.pk)),
    ("payouts", "paid_out", PaidOut, "event", lambda one: lazy_text("payout %(number)s", number=one.pk)),
    (
        "payouts",
        "pool_entries",
        SidePoolEntry,
        "pool__event",
        lambda one: lazy_text("entry %(number)s in a side pool", number=one.pk),
    ),
    (
        "payouts",
        "pool_results",
        SidePoolResult,
        "pool__event",
        lambda one: lazy_text("result %(number)s of a side pool", number=one.pk),
    ),
    (
        "payouts",
        "pool_payouts",
        SidePoolPayout,
        "pool__event",
        lambda one: lazy_text("which side pool payout %(number)s is of", number=one.paid_out_id),
    ),
    (
        "payouts",
        "payout_signatures",
        PayoutSignature,
        "paid_out__event",
        lambda one: lazy_text("the signature for payout %(number)s", number=one.paid_out_id),
    ),
    (
        "payouts",
        "withholdings",
        Withholding,
        "paid_out__event",
        lambda one: lazy_text("what was withheld of payout %(number)s", number=one.paid_out_id),
    ),
    (
        "ledger",
        "refund_sources",
        RefundSource,
        "line__event",
        lambda one: lazy_text("how the refund in line %(number)s was paid", number=one.line_id),
    ),
    (
        "ledger",
        "event_money",
        EventMoney,
        "event",
        lambda one: lazy_text("added money, expense, tax remittance or payment to charity %(number)s", number=one.pk),
    ),
    ("places", "finishes", Finish, "event", lambda one: lazy_text("finish %(number)s of the event", number=one.pk)),
    (
        "places",
        "ended_early",
        EndedEarly,
        "finish__event",
        lambda one: lazy_text("the reason for the early finish %(number)s", number=one.finish_id),
    ),
    (
        "decisions",
        "player_corrections",
        PlayerCorrection,
        "event",
        lambda one: lazy_text("correction %(number)s of a player", number=one.pk),
    ),
    (
        "tables",
        "seatings",
        Seating,
        "stage__draw__commitment__event",
        lambda one: lazy_text("the table assignments of round %(number)s", number=one.round),
    ),
    (
        "stages",
        "stages",
        Stage,
        "draw__commitment__event",
        lambda one: lazy_text("stage %(number)s, %(name)s", number=one.number, name=one.name),
    ),
)
"""The kinds of rows in an event that are compared with the log.

Each item contains the kind of check, the kind in the log, the model, the path to the event, and a function that returns
the row's name.
"""
_RELATED_TO_SELECT: Final = {"results": "match", "conduct": "ruling"}
"""The related object to load in order to name a row, keyed by the kind of row."""


def find_row_faults(event: Event, log: LoggedDigests) -> Iterator[tuple[str, VerificationFault]]:
    """Yield the faults in an event's rows, each fault with the kind of check to which it belongs.

    The rows record results, decisions, money, tables, and other facts.
    """
    for check, kind, model, path, name_row in _CHECKED_ROWS:
        rows = model._default_manager.filter(**{path: event})
        if kind in _RELATED_TO_SELECT:
            rows = rows.select_related(_RELATED_TO_SELECT[kind])
        digest = compute_result_digest if model is MatchResult else compute_fact_digest
        for _card, fault in _find_faults_of_rows(log, kind, rows, name_row, digest):
            yield check, fault


def find_evidence_faults(
    event: Event, log: LoggedDigests, card: Card | None = None
) -> list[tuple[int | None, VerificationFault]]:
    """Return the faults in recorded up cards, in players' checks of hands, and in early closings of games.

    If `card` is given, return only that card's faults. Each fault comes with its card's primary key.
    """
    ups = UpCard.objects.filter(card__match__event=event)
    closed = CardClosed.objects.filter(card__match__event=event)
    checks = HandCheck.objects.filter(line__card__match__event=event).select_related("line__card__sheet")
    if card is not None:
        ups, checks, closed = ups.filter(card=card), checks.filter(line__card=card), closed.filter(card=card)

    def name_up_card(up: UpCard) -> str:
        return lazy_text("the up card of hand %(number)s", number=up.hand)

    def name_check(check: HandCheck) -> str:
        line = make_card_rules(check.line.card).name_line(check.line.number)
        return lazy_text("what %(name)s said of %(line)s", name=check.by_name, line=line)

    def name_closing(_closing: CardClosed) -> str:
        return lazy_text("how the game was closed")

    faults = [
        *_find_faults_of_rows(log, "up_cards", ups, name_up_card, compute_up_card_digest, lambda up: up.card_id),
        *_find_faults_of_rows(
            log, "checks", checks, name_check, compute_hand_check_digest, lambda check: check.line.card_id
        ),
        *_find_faults_of_rows(log, "closings", closed, name_closing, card_of=lambda closing: closing.card_id),
    ]
    return [(pk, fault) for pk, fault in faults if card is None or pk == card.pk]


def _find_faults_of_rows(
    log: LoggedDigests,
    kind: str,
    rows: QuerySet[Any],
    name_row: _RowNamer,
    digest: Callable[[Any], str] = compute_fact_digest,
    card_of: Callable[[Any], int | None] = lambda _row: None,
) -> Iterator[tuple[int | None, VerificationFault]]:
    """Yield the faults of all rows of one kind, each with its card's primary key (None if it has no card).

    Rows that are older than the first logged digest of their kind are not checked. Rows that an import moved here from
    another event are not checked either, because the log names the other event.
    """
    logged = log.get_rows(kind)
    existing = {row.pk: row for row in rows}
    first = min(logged, default=None)
    for pk, row in existing.items():
        if first is not None and pk >= first and not log.left_out.was_moved(type(row), pk):
            for fault in log.check_row(kind, pk, digest(log.restore_original_keys(kind, row)), name_row(row)):
                yield card_of(row), fault
    for pk, entry in logged.items():
        if pk not in existing:
            yield (
                entry.card,
                VerificationFault(
                    kind.replace("_", " "), _describe_missing_row(LOGGED_ROW_NAME_BY_KIND[kind], entry.seq)
                ),
            )
