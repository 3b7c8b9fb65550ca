"""Up cards as they were turned, what the other keeper said, results and rulings, held against the log.

No signature covers them, but a director rules by them, and the bracket shows them: that they were changed has to show.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from pairing.matches.selectors.result_digests import result_digest
from pairing.models import MatchResult, Seating, Stage
from scoring.card_state.selectors.content import rules_of
from scoring.models import Card, CardClosed, CardTerms, ConductPenalty, Dispute, DisputeFacts, HandCheck, Ruling, UpCard
from scoring.rules.evidence.sealing import Fault
from scoring.seals.selectors.sealed_log import SealedLog
from scoring.seals.selectors.seals import check_digest, up_card_digest
from tournament.core.selectors.row_digests import row_digest
from tournament.models import EndedEarly, Event, EventMoney, Finish, LedgerLine, PaidOut


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of one kind: their name in the log, which there are, and of each its digest, its words and its card."""

    name: str
    rows: QuerySet[Any]
    digest: Callable[[Any], str]
    words: Callable[[Any], str]
    card: Callable[[Any], int | None] = lambda one: None


def check_results(event: Event, log: SealedLog) -> list[Fault]:
    rows = MatchResult.objects.filter(match__event=event).select_related("match")
    kind = Kind("results", rows, result_digest, lambda one: f"the result of {one.match.ident}")
    return [fault for _, fault in _faults(log, kind)]


def check_decisions(event: Event, log: SealedLog) -> list[Fault]:
    """Calls, what was found out, rulings, penalties, and the terms of cards: as they were written."""
    found = DisputeFacts.objects.filter(dispute__event=event)
    penalties = ConductPenalty.objects.filter(ruling__dispute__event=event).select_related("ruling")
    rulings = Ruling.objects.filter(dispute__event=event)
    kinds = (
        Kind("disputes", Dispute.objects.filter(event=event), row_digest, lambda one: f"call {one.pk} for a ruling"),
        Kind("findings", found, row_digest, lambda one: f"what was found out about call {one.dispute_id}"),
        Kind("rulings", rulings, row_digest, lambda one: f"ruling {one.number}"),
        Kind("conduct", penalties, row_digest, lambda one: f"a penalty of ruling {one.ruling.number}"),
        Kind("card_terms", CardTerms.objects.filter(event=event), row_digest, lambda one: "when cards are final"),
    )
    return [fault for kind in kinds for _, fault in _faults(log, kind)]


def check_rows(event: Event, log: SealedLog) -> list[tuple[str, Fault]]:
    """Money, the finish, seatings and stages as they were written: each fault with the kind of check it is of."""
    early = EndedEarly.objects.filter(finish__event=event)
    seatings = Seating.objects.filter(stage__draw__commitment__event=event)
    stages = Stage.objects.filter(draw__commitment__event=event)
    rows: tuple[tuple[str, str, QuerySet[Any], Callable[[Any], str]], ...] = (
        ("ledger", "ledger", LedgerLine.objects.filter(event=event), lambda one: f"line {one.pk} of the ledger"),
        ("payouts", "paid_out", PaidOut.objects.filter(event=event), lambda one: f"payout {one.pk}"),
        (
            "ledger",
            "event_money",
            EventMoney.objects.filter(event=event),
            lambda one: f"added money {one.pk}",
        ),
        ("places", "finishes", Finish.objects.filter(event=event), lambda one: f"finish {one.pk} of the event"),
        ("places", "ended_early", early, lambda one: f"why finish {one.finish_id} came early"),
        ("tables", "seatings", seatings, lambda one: f"the seating of round {one.round}"),
        ("stages", "stages", stages, lambda one: f"stage {one.number}, {one.name}"),
    )
    kinds = [(of, Kind(name, those, row_digest, words)) for of, name, those, words in rows]
    return [(of, fault) for of, kind in kinds for _, fault in _faults(log, kind)]


def check_evidence(event: Event, log: SealedLog, card: Card | None = None) -> list[tuple[int | None, Fault]]:
    """Of all cards of an event, or of one, whose log it is: three queries. Each fault with the key of its card."""
    ups = UpCard.objects.filter(card__match__event=event)
    closed = CardClosed.objects.filter(card__match__event=event)
    checks = HandCheck.objects.filter(line__card__match__event=event).select_related("line__card__sheet")
    if card is not None:
        ups, checks, closed = ups.filter(card=card), checks.filter(line__card=card), closed.filter(card=card)
    kinds = (
        Kind("up_cards", ups, up_card_digest, lambda up: f"the up card of hand {up.hand}", lambda up: up.card_id),
        Kind("checks", checks, check_digest, _check, lambda check: check.line.card_id),
        Kind("closings", closed, row_digest, lambda one: "how the game was closed", lambda one: one.card_id),
    )
    found = [each for kind in kinds for each in _faults(log, kind)]
    return [(pk, fault) for pk, fault in found if card is None or pk == card.pk]


def _faults(log: SealedLog, kind: Kind) -> Iterator[tuple[int | None, Fault]]:
    """Nothing is said of rows that are older than the digests in the log."""
    logged = log.of(kind.name)
    there = {row.pk: row for row in kind.rows}
    since = min(logged, default=None)
    for pk, row in there.items():
        if since is not None and pk >= since:
            for fault in log.faults_of(kind.name, pk, kind.digest(row), kind.words(row)):
                yield kind.card(row), fault
    for pk, one in logged.items():
        if pk not in there:
            said = f"{_GONE[kind.name]} that row {one.seq} of the log names is missing."
            yield one.card, Fault(kind.name.replace("_", " "), said)


_GONE = {
    "results": "A result",
    "up_cards": "An up card",
    "checks": "What a keeper said of a hand",
    "disputes": "A call for a ruling",
    "findings": "What was found out about a call",
    "rulings": "A ruling",
    "conduct": "A penalty",
    "card_terms": "A setting of when cards are final",
    "ledger": "A line of the ledger",
    "paid_out": "A payout",
    "event_money": "Added money or an expense",
    "finishes": "A finish",
    "ended_early": "Why a finish came early",
    "seatings": "A seating",
    "stages": "A stage",
    "closings": "A closing",
}


def _check(check: HandCheck) -> str:
    return f"what {check.by_name} said of {rules_of(check.line.card).name_line(check.line.number)}"
