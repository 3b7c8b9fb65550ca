"""Check up cards, the other keeper's checks, results, rulings and money against the log.

No signature covers these rows. But a director rules by them, and the bracket shows them, so a change must show.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model, QuerySet

from pairing.matches.selectors.result_digests import result_digest
from pairing.models import MatchResult, Seating, Stage
from scoring.card_state.selectors.content import rules_of
from scoring.models import Card, CardClosed, CardTerms, ConductPenalty, Dispute, DisputeFacts, HandCheck, Ruling, UpCard
from scoring.rules.evidence.sealing import Fault
from scoring.seals.selectors.card_checks import gone
from scoring.seals.selectors.sealed_log import SealedLog
from scoring.seals.selectors.seals import check_digest, up_card_digest
from tournament.core.selectors.log import row_digest
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
from tournament.said import worded


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of one kind: their name in the log, the rows, and functions for the digest, words and card of a row."""

    name: str
    rows: QuerySet[Any]
    digest: Callable[[Any], str]
    words: Callable[[Any], str]
    card: Callable[[Any], int | None] = lambda one: None


@dataclass(frozen=True, slots=True)
class RowsOfEvent:
    """Rows that are checked against the log as a whole: the check they belong to, and the path to their event."""

    of: str
    name: str
    model: type[Model]
    event: str
    words: Callable[[Any], str]

    def kind(self, event: Event) -> Kind:
        rows: QuerySet[Any] = self.model._default_manager.filter(**{self.event: event})
        return Kind(self.name, rows, row_digest, self.words)


MONEY: Final = (
    RowsOfEvent(
        "ledger", "ledger", LedgerLine, "event", lambda one: worded("line %(number)s of the ledger", number=one.pk)
    ),
    RowsOfEvent("payouts", "paid_out", PaidOut, "event", lambda one: worded("payout %(number)s", number=one.pk)),
    RowsOfEvent(
        "payouts",
        "pool_entries",
        SidePoolEntry,
        "pool__event",
        lambda one: worded("entry %(number)s in a side pool", number=one.pk),
    ),
    RowsOfEvent(
        "payouts",
        "pool_results",
        SidePoolResult,
        "pool__event",
        lambda one: worded("result %(number)s of a side pool", number=one.pk),
    ),
    RowsOfEvent(
        "payouts",
        "pool_payouts",
        SidePoolPayout,
        "pool__event",
        lambda one: worded("which side pool payout %(number)s is of", number=one.paid_out_id),
    ),
    RowsOfEvent(
        "payouts",
        "payout_signatures",
        PayoutSignature,
        "paid_out__event",
        lambda one: worded("the signature for payout %(number)s", number=one.paid_out_id),
    ),
    RowsOfEvent(
        "payouts",
        "withholdings",
        Withholding,
        "paid_out__event",
        lambda one: worded("what was withheld of payout %(number)s", number=one.paid_out_id),
    ),
    RowsOfEvent(
        "ledger",
        "refund_sources",
        RefundSource,
        "line__event",
        lambda one: worded("how the refund in line %(number)s was paid", number=one.line_id),
    ),
    RowsOfEvent(
        "ledger",
        "event_money",
        EventMoney,
        "event",
        lambda one: worded("added money, expense or tax remittance %(number)s", number=one.pk),
    ),
)
COURSE: Final = (
    RowsOfEvent(
        "places", "finishes", Finish, "event", lambda one: worded("finish %(number)s of the event", number=one.pk)
    ),
    RowsOfEvent(
        "places",
        "ended_early",
        EndedEarly,
        "finish__event",
        lambda one: worded("the reason for the early finish %(number)s", number=one.finish_id),
    ),
    RowsOfEvent(
        "decisions",
        "player_corrections",
        PlayerCorrection,
        "event",
        lambda one: worded("correction %(number)s of a player", number=one.pk),
    ),
    RowsOfEvent(
        "tables",
        "seatings",
        Seating,
        "stage__draw__commitment__event",
        lambda one: worded("the table assignments of round %(number)s", number=one.round),
    ),
    RowsOfEvent(
        "stages",
        "stages",
        Stage,
        "draw__commitment__event",
        lambda one: worded("stage %(number)s, %(name)s", number=one.number, name=one.name),
    ),
)


def check_results(event: Event, log: SealedLog) -> list[Fault]:
    rows = MatchResult.objects.filter(match__event=event).select_related("match")
    kind = Kind("results", rows, result_digest, lambda one: worded("the result of %(match)s", match=one.match.ident))
    return [fault for _, fault in _faults(log, kind)]


def check_decisions(event: Event, log: SealedLog) -> list[Fault]:
    """Check calls, findings, rulings, penalties, and the terms of cards."""
    found = DisputeFacts.objects.filter(dispute__event=event)
    penalties = ConductPenalty.objects.filter(ruling__dispute__event=event).select_related("ruling")
    rulings = Ruling.objects.filter(dispute__event=event)
    kinds = (
        Kind(
            "disputes",
            Dispute.objects.filter(event=event),
            row_digest,
            lambda one: worded("call %(number)s for a ruling", number=one.pk),
        ),
        Kind(
            "findings", found, row_digest, lambda one: worded("the findings on call %(number)s", number=one.dispute_id)
        ),
        Kind("rulings", rulings, row_digest, lambda one: worded("ruling %(number)s", number=one.number)),
        Kind(
            "conduct",
            penalties,
            row_digest,
            lambda one: worded("a penalty of ruling %(number)s", number=one.ruling.number),
        ),
        Kind(
            "card_terms", CardTerms.objects.filter(event=event), row_digest, lambda one: worded("the correction period")
        ),
    )
    return [fault for kind in kinds for _, fault in _faults(log, kind)]


def check_rows(event: Event, log: SealedLog) -> list[tuple[str, Fault]]:
    """Check money, the finish, seatings and stages. Return each fault with the check that it belongs to."""
    return [(rows.of, fault) for rows in (*MONEY, *COURSE) for _, fault in _faults(log, rows.kind(event))]


def check_evidence(event: Event, log: SealedLog, card: Card | None = None) -> list[tuple[int | None, Fault]]:
    """Check the evidence of all cards of an event, or of one, in three queries.

    Return each fault with the key of its card.
    """
    ups = UpCard.objects.filter(card__match__event=event)
    closed = CardClosed.objects.filter(card__match__event=event)
    checks = HandCheck.objects.filter(line__card__match__event=event).select_related("line__card__sheet")
    if card is not None:
        ups, checks, closed = ups.filter(card=card), checks.filter(line__card=card), closed.filter(card=card)
    kinds = (
        Kind(
            "up_cards",
            ups,
            up_card_digest,
            lambda up: worded("the up card of hand %(number)s", number=up.hand),
            lambda up: up.card_id,
        ),
        Kind("checks", checks, check_digest, _check, lambda check: check.line.card_id),
        Kind("closings", closed, row_digest, lambda one: worded("how the game was closed"), lambda one: one.card_id),
    )
    found = [each for kind in kinds for each in _faults(log, kind)]
    return [(pk, fault) for pk, fault in found if card is None or pk == card.pk]


def _faults(log: SealedLog, kind: Kind) -> Iterator[tuple[int | None, Fault]]:
    """Yield the faults of one kind of rows. Rows that are older than the digests in the log are not checked."""
    logged = log.of(kind.name)
    there = {row.pk: row for row in kind.rows}
    since = min(logged, default=None)
    for pk, row in there.items():
        if since is not None and pk >= since:
            for fault in log.faults_of(kind.name, pk, kind.digest(row), kind.words(row)):
                yield kind.card(row), fault
    for pk, one in logged.items():
        if pk not in there:
            yield one.card, Fault(kind.name.replace("_", " "), gone(_GONE[kind.name], one.seq))


_GONE = {
    "results": worded("a result"),
    "up_cards": worded("an up card"),
    "checks": worded("a keeper's check of a hand"),
    "disputes": worded("a call for a ruling"),
    "findings": worded("the findings on a call"),
    "rulings": worded("a ruling"),
    "conduct": worded("a penalty"),
    "card_terms": worded("a setting of the correction period"),
    "ledger": worded("a line of the ledger"),
    "paid_out": worded("a payout"),
    "pool_entries": worded("an entry in a side pool"),
    "pool_results": worded("the result of a side pool"),
    "pool_payouts": worded("which side pool a payout is of"),
    "payout_signatures": worded("a signature for a payout"),
    "withholdings": worded("what was withheld of a payout"),
    "refund_sources": worded("how the money of a refund was paid"),
    "event_money": worded("added money, an expense or a tax remittance"),
    "finishes": worded("a finish"),
    "ended_early": worded("the reason for an early finish"),
    "seatings": worded("table assignments"),
    "stages": worded("a stage"),
    "closings": worded("the early end of a game"),
    "player_corrections": worded("the correction of a player"),
}


def _check(check: HandCheck) -> str:
    line = rules_of(check.line.card).name_line(check.line.number)
    return worded("what %(name)s said of %(line)s", name=check.by_name, line=line)
