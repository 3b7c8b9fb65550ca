"""Check cards against everything that was signed and sealed of them, and the rows of an event against its log.

Each fault names its place.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from django.db.models import Model, QuerySet
from django.utils.dateparse import parse_datetime

from pairing.models import MatchResult, Seating, Stage
from pairing.stages.selectors.records import result_digest
from scoring.card_state.selectors.state import SCOREKEEPER, CardState, rules_of
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
from scoring.rules.evidence.content import VersionChange, compare_versions
from scoring.rules.evidence.sealing import (
    Fault,
    check_seal,
    check_signatures,
    digest_signature,
    read_statement,
    sha256_hex,
)
from scoring.rules.variants.variant import is_totals_record
from scoring.seals.selectors.keys import is_trusted
from scoring.seals.selectors.log import SealedLog
from scoring.seals.selectors.versions import (
    author_digest,
    check_digest,
    line_digest,
    seal_of,
    signed_side_of,
    signed_sides,
    state_at,
    up_card_digest,
)
from tournament.core.selectors.log import row_digest
from tournament.errors import BadCase
from tournament.lazy_text import Capitalized, join_texts, lazy_text
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

BAD_LINE_ERRORS: Final = (BadCase, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""The errors that a line can cause that was put into the database past all checks."""
NAME_ON_THIS_CARD: Final = {
    "lines": lazy_text("a hand of this card"),
    "cuts": lazy_text("a cut or draw of this card"),
    "signatures": lazy_text("a signature of this card"),
    "versions": lazy_text("a version of this card"),
    "seals": lazy_text("a seal of this card"),
}
"""The name of a missing row of a card, by its kind in the log."""
NAME_OF_ROW: Final = {
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
"""The name of any missing row, by its kind in the log."""
PLACES: Final = {
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
"""The names of the places on a card."""


def check_card(state: CardState, versions: list[CardVersion], log: SealedLog) -> list[Fault]:
    """Return everything that is not as it was signed.

    The result is empty if every version follows from the facts, and every signature and seal is intact.
    """
    faults = [*_check_lines(state, log)]
    for cut in state.facts.cuts:
        if cut.pk in log.rows_of("cuts"):
            faults += log.check_row("cuts", cut.pk, row_digest(cut), lazy_text("the cut or draw for deal"))
    faults += [
        *_missing_versions(versions),
        *_check_signatures(state, versions, log),
        *_missing_rows(state, versions, log),
    ]
    faults += [fault for version in versions for fault in _check_version(state, version, log)]
    return list(dict.fromkeys(faults))


def _check_version(state: CardState, version: CardVersion, log: SealedLog) -> list[Fault]:
    """Check one version: its content, the facts it is made of, its signatures as they were sealed, and the seal."""
    faults = log.check_row("versions", version.pk, version.digest, _name_of_version(version))
    then, problem = _recount(state, version)
    if sha256_hex(version.content) != version.digest:
        faults.append(_changed_content(version, then))
    elif problem is not None:
        faults.append(problem)
    elif then is not None and then.digest != version.digest:
        faults += _changed_facts(version, then)
    return [*faults, *_check_seal(state, version, log)]


def digest_now(state: CardState) -> str | None:
    """Return the digest of the card's current content, or None if a line on it is invalid."""
    try:
        return state.digest
    except BAD_LINE_ERRORS:
        return None


def _recount(state: CardState, version: CardVersion) -> tuple[CardState | None, Fault | None]:
    """Return the card from its facts at the time of the version, or a fault if they can no longer be counted."""
    try:
        then = state_at(state, version)
        _ = then.digest
    except BAD_LINE_ERRORS as error:
        if isinstance(error, BadCase) and error.problems:
            why = error.problems[0].message
        else:
            why = lazy_text("A line cannot be read.")
        text = lazy_text(
            "Version %(number)s can no longer be counted from the hands. %(why)s", number=version.number, why=why
        )
        return None, Fault("hands", text)
    return then, None


def _missing_versions(versions: list[CardVersion]) -> list[Fault]:
    numbers = [version.number for version in versions]
    missing = sorted(set(range(1, max(numbers, default=0) + 1)) - set(numbers))
    return [
        Fault(f"version {number}", lazy_text("Version %(number)s of the card is missing.", number=number))
        for number in missing
    ]


def _check_lines(state: CardState, log: SealedLog) -> Iterator[Fault]:
    """Check each line that the log knows, even if nobody has signed the card yet."""
    hands = {fact.pk: number for number, fact in enumerate(state.lines, start=1)}
    for line in state.facts.lines:
        logged = log.rows_of("lines").get(line.pk)
        if logged is None:
            continue
        place = state.name_line(hands[line.pk]) if line.pk in hands else lazy_text("a hand that was corrected")
        place = lazy_text("the totals") if is_totals_record(line.line) and line.pk in hands else place
        yield from log.check_row("lines", line.pk, line_digest(line), place)
        if logged.author_digest and logged.author_digest != author_digest(line) and logged.seq not in log.changed:
            text = lazy_text(
                "Row %(row)s of the log says otherwise about %(place)s: who wrote it, when, how or why.",
                row=logged.seq,
                place=place,
            )
            yield Fault(place, text)


def _check_signatures(state: CardState, versions: list[CardVersion], log: SealedLog) -> Iterator[Fault]:
    """Check the signatures against the log.

    If a card was signed before the log had digests, its signatures are older than its version and are not checked.
    """
    since = {version.digest: version.at for version in versions}
    for signature in state.signatures.made:
        name = signed_side_of(state, signature).name
        signed = lazy_text("the signature of %(name)s", name=name)
        is_logged = signature.pk in log.rows_of("signatures")
        if signature.digest in since and (is_logged or signature.at >= since[signature.digest]):
            now = digest_signature(signed_side_of(state, signature), signature.digest)
            for fault in log.check_row("signatures", signature.pk, now, signed):
                is_about_log = fault.place.startswith("log")
                yield fault if is_about_log else Fault(f"signature {_place_of(signature)}", fault.message)
        elif is_logged:
            text = lazy_text("The signature of %(name)s covers a content that was never on this card.", name=name)
            yield Fault(f"signature {_place_of(signature)}", text)


def _missing_rows(state: CardState, versions: list[CardVersion], log: SealedLog) -> Iterator[Fault]:
    """Yield what the log has of this card but the record no longer has."""
    there = {
        "lines": {line.pk for line in state.facts.lines},
        "cuts": {cut.pk for cut in state.facts.cuts},
        "signatures": {signature.pk for signature in state.signatures.made},
        "versions": {version.pk for version in versions},
        "seals": {version.seal.pk for version in versions if seal_of(version) is not None},
    }
    for kind, known in there.items():
        for pk, logged in log.rows_of(kind).items():
            if logged.card == state.card.pk and pk not in known:
                number = f" {logged.number}" if logged.number else ""
                place = "hands" if kind == "lines" else f"{kind.removesuffix('s')}{number}"
                yield Fault(place, _missing_row_text(NAME_ON_THIS_CARD[kind], logged.seq))


def _missing_row_text(name: str, row: int) -> str:
    """Return the sentence about something that the log names and the record does not have."""
    return lazy_text("Row %(row)s of the log names %(what)s, and it is missing.", row=row, what=name)


def find_missing_rows(log: SealedLog, there: Mapping[str, Collection[int]], cards: Collection[int]) -> Iterator[Fault]:
    """Yield faults for missing rows of cards that do not exist, or without a card.

    `there` has the existing rows by kind.
    """
    for kind in NAME_ON_THIS_CARD:
        for pk, logged in log.rows_of(kind).items():
            if logged.card not in cards and pk not in there[kind]:
                yield Fault(kind, _missing_row_text(NAME_OF_ROW[kind], logged.seq))


def _place_of(signature: Signature) -> str:
    return signature.seat.side if signature.seat is not None else SCOREKEEPER


def _changed_content(version: CardVersion, then: CardState | None) -> Fault:
    place = f"version {version.number}"
    changed = lazy_text("The content that was kept of version %(number)s was changed.", number=version.number)
    try:
        content: Any = json.loads(version.content)
    except ValueError:
        return Fault(place, join_texts(" ", [changed, lazy_text("It cannot be read.")]))
    if then is None or not isinstance(content, dict):
        return Fault(place, changed)
    places = [place_in_words(one, then) for one in compare_versions(json.loads(then.content.as_bytes()), content)]
    where = [lazy_text("Changed: %(places)s.", places=join_texts(", ", places))] if places else []
    return Fault(place, join_texts(" ", [changed, *where]))


def _changed_facts(version: CardVersion, then: CardState) -> list[Fault]:
    changes = compare_versions(json.loads(version.content), json.loads(then.content.as_bytes()))
    first = [one for one in changes if one.place == "lines"] or changes
    places = [place_in_words(one, then) for one in first]
    if not places:
        missing = lazy_text(
            "The card is not as it was signed in version %(number)s: a correction is missing.", number=version.number
        )
        return [Fault(_name_of_version(version), missing)]
    return [
        Fault(
            place,
            lazy_text(
                "%(place)s is not as it was signed in version %(number)s.",
                place=Capitalized(place),
                number=version.number,
            ),
        )
        for place in places
    ]


def _name_of_version(version: CardVersion) -> str:
    return lazy_text("version %(number)s", number=version.number)


def place_in_words(difference: VersionChange, state: CardState) -> str:
    """Return a place such as “hand 3”, “totals” or “names”."""
    if difference.number is not None:
        return state.name_line(difference.number)
    return PLACES.get(difference.place, difference.place)


def _check_seal(state: CardState, version: CardVersion, log: SealedLog) -> Iterator[Fault]:
    sealed = seal_of(version)
    if sealed is None:
        return
    number = version.seal.number
    yield from log.check_row("seals", version.seal.pk, version.seal.digest, lazy_text("seal %(number)s", number=number))
    yield from check_seal(sealed, digest=version.digest, version=version.number)
    if not is_trusted(sealed.public):
        yield Fault(
            "seal", lazy_text("Seal %(number)s was made by another key than this installation's.", number=number)
        )
    statement = read_statement(sealed.statement)
    if statement is None:
        return
    if (statement.get("number"), statement.get("previous")) != (version.seal.number, version.seal.previous):
        yield Fault("seal", lazy_text("Seal %(number)s is not the one that its statement names.", number=number))
    if statement.get("card") != state.card.token:
        yield Fault("seal", lazy_text("The seal was made on another card."))
    yield from check_signatures(statement, signed_sides(state, version.digest))
    posted = next((posting.at for posting in state.postings if posting.digest == version.digest), None)
    if posted is None:
        missing = lazy_text(
            "Version %(number)s is sealed as posted, but its posting is missing.", number=version.number
        )
        yield Fault("posting", missing)
    elif posted != parse_datetime(str(statement.get("posted_at"))):
        said_at = lazy_text("The time at which version %(number)s was posted was changed.", number=version.number)
        yield Fault("posting", said_at)


# --- Rows of an event ------------------------------------------------------------------------------------------------
# Up cards, the other keeper's checks, results, rulings and money are rows whose digest is in the log.


_Words = Callable[[Any], str]
_ROWS_OF_EVENT: Final[tuple[tuple[str, str, type[Model], str, _Words], ...]] = (
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
"""Rows that are checked as a whole: their check, their name in the log, the model, the path to the event, and words."""


def check_results(event: Event, log: SealedLog) -> list[Fault]:
    rows = MatchResult.objects.filter(match__event=event).select_related("match")

    def words(one: MatchResult) -> str:
        return lazy_text("the result of %(match)s", match=one.match.ident)

    return [fault for _, fault in _row_faults(log, "results", rows, words, result_digest)]


def check_decisions(event: Event, log: SealedLog) -> list[Fault]:
    """Check calls, findings, rulings, penalties, and the terms of cards."""
    penalties = ConductPenalty.objects.filter(ruling__dispute__event=event).select_related("ruling")
    kinds: tuple[tuple[str, QuerySet[Any], _Words], ...] = (
        (
            "disputes",
            Dispute.objects.filter(event=event),
            lambda one: lazy_text("call %(number)s for a ruling", number=one.pk),
        ),
        (
            "findings",
            DisputeFacts.objects.filter(dispute__event=event),
            lambda one: lazy_text("the findings on call %(number)s", number=one.dispute_id),
        ),
        (
            "rulings",
            Ruling.objects.filter(dispute__event=event),
            lambda one: lazy_text("ruling %(number)s", number=one.number),
        ),
        ("conduct", penalties, lambda one: lazy_text("a penalty of ruling %(number)s", number=one.ruling.number)),
        ("card_terms", CardTerms.objects.filter(event=event), lambda _one: lazy_text("the correction period")),
    )
    return [fault for name, rows, words in kinds for _, fault in _row_faults(log, name, rows, words)]


def check_rows(event: Event, log: SealedLog) -> list[tuple[str, Fault]]:
    """Check money, the finish, seatings and stages. Return each fault with the check that it belongs to."""
    return [
        (check, fault)
        for check, name, model, path, words in _ROWS_OF_EVENT
        for _, fault in _row_faults(log, name, model._default_manager.filter(**{path: event}), words)
    ]


def check_evidence(event: Event, log: SealedLog, card: Card | None = None) -> list[tuple[int | None, Fault]]:
    """Check the evidence of all cards of an event, or of one, in three queries.

    Return each fault with the key of its card.
    """
    ups = UpCard.objects.filter(card__match__event=event)
    closed = CardClosed.objects.filter(card__match__event=event)
    checks = HandCheck.objects.filter(line__card__match__event=event).select_related("line__card__sheet")
    if card is not None:
        ups, checks, closed = ups.filter(card=card), checks.filter(line__card=card), closed.filter(card=card)

    def name_up_card(up: UpCard) -> str:
        return lazy_text("the up card of hand %(number)s", number=up.hand)

    def name_closing(_closing: CardClosed) -> str:
        return lazy_text("how the game was closed")

    faults = [
        *_row_faults(log, "up_cards", ups, name_up_card, up_card_digest, lambda up: up.card_id),
        *_row_faults(log, "checks", checks, _name_of_check, check_digest, lambda check: check.line.card_id),
        *_row_faults(log, "closings", closed, name_closing, card_of=lambda closing: closing.card_id),
    ]
    return [(pk, fault) for pk, fault in faults if card is None or pk == card.pk]


def _row_faults(
    log: SealedLog,
    name: str,
    rows: QuerySet[Any],
    words: _Words,
    digest: Callable[[Any], str] = row_digest,
    card_of: Callable[[Any], int | None] = lambda _row: None,
) -> Iterator[tuple[int | None, Fault]]:
    """Yield the faults of the rows that have this name in the log, each with the key of its card.

    Rows that are older than the digests in the log are not checked.
    """
    logged = log.rows_of(name)
    there = {row.pk: row for row in rows}
    since = min(logged, default=None)
    for pk, row in there.items():
        if since is not None and pk >= since:
            for fault in log.check_row(name, pk, digest(row), words(row)):
                yield card_of(row), fault
    for pk, one in logged.items():
        if pk not in there:
            yield one.card, Fault(name.replace("_", " "), _missing_row_text(NAME_OF_ROW[name], one.seq))


def _name_of_check(check: HandCheck) -> str:
    line = rules_of(check.line.card).name_line(check.line.number)
    return lazy_text("what %(name)s said of %(line)s", name=check.by_name, line=line)
