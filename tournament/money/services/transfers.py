"""A bank's list of transfers: each is taken in once, and paid to the entry whose reference it carries."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict
from tournament.models import BankTransfer, Entrant, Event, LedgerLine, Tournament, TransferMatch
from tournament.money.selectors.transfers import entrants_by_reference
from tournament.money.services.ledger import add_payment
from tournament.spreadsheets.bank_lists import BankRow

TRANSFER = LedgerLine.Method.TRANSFER.value
LONGEST = LedgerLine._meta.get_field("reference").max_length or 0


@dataclass(frozen=True, slots=True)
class TakenIn:
    """How many transfers of a list were new, and of these paid to an entry or left for the desk."""

    matched: int = 0
    unmatched: int = 0
    known: int = 0


def take_transfers(tournament: Tournament, rows: Iterable[BankRow], *, by: Actor) -> TakenIn:
    """Take in a bank's list. Lists may overlap: a transfer that was taken in before adds nothing."""
    require(by, "desk", tournament)
    counted: Counter[str] = Counter()
    alike: Counter[BankRow] = Counter()
    # Each is a write of its own: they are of several events, whose locks nobody may hold at once.
    for row in rows:
        alike[row] += 1
        counted[_take(tournament, row, _ident(row, alike[row]), by)] += 1
    return TakenIn(**counted)


def _ident(row: BankRow, nth: int) -> str:
    """Two transfers that are alike in every word stand twice in the list of their day."""
    return hashlib.sha256(repr((row.booked, row.cents, row.payer, row.text, nth)).encode()).hexdigest()


def _take(tournament: Tournament, row: BankRow, ident: str, by: Actor) -> str:
    if tournament.transfers.filter(ident=ident).exists():
        return "known"
    entrant = _whose(tournament, row)
    scope: Event | Tournament = entrant.event if entrant is not None else tournament
    with writing(scope, verb="transfer.taken-in", by=by) as write:
        if tournament.transfers.filter(ident=ident).exists():
            write.about(row.payer, known=True)
            return "known"
        facts = {"booked": row.booked, "cents": row.cents, "payer": row.payer, "text": row.text}
        made = BankTransfer.objects.create(tournament=tournament, ident=ident, **facts, **write.fact_fields())
        write.keep("transfers", made)
        write.about(made, transfer=made.pk, cents=made.cents)
        if entrant is None or write.the_event.state == Event.State.FINISHED:
            return "unmatched"
        _pay(write, made, entrant)
        return "matched"


def _whose(tournament: Tournament, row: BankRow) -> Entrant | None:
    """The one entry whose reference it carries; with two of them the desk says how it is meant."""
    found = entrants_by_reference(tournament, row.text)
    return found[0] if len(found) == 1 else None


def _pay(write: Write, transfer: BankTransfer, entrant: Entrant) -> LedgerLine:
    line = add_payment(write, entrant, transfer.cents, TRANSFER, transfer.text[:LONGEST])
    write.keep("transfer_matches", TransferMatch.objects.create(transfer=transfer, line=line, **write.fact_fields()))
    write.about(entrant, line=line.pk, transfer=transfer.pk, cents=transfer.cents)
    return line


def match_transfer(transfer: BankTransfer, entrant: Entrant, *, by: Actor, key: str = "") -> LedgerLine:
    """Record a transfer as the payment of this entry.

    Raises:
        Conflict: `matched`, `finished`.
    """
    require(by, "desk", transfer.tournament)
    key = scoped_key(key, transfer.pk, entrant.pk)
    with writing(entrant.event, verb="transfer.matched", by=by, key=key) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        return _pay(write, _locked(transfer), entrant)


def set_transfer_aside(transfer: BankTransfer, *, by: Actor, reason: str, key: str = "") -> TransferMatch:
    """Say that a transfer is none of the tournament's: it is no payment, and leaves the list.

    Raises:
        DomainError: `reason-needed`. Conflict: `matched`.
    """
    require(by, "desk", transfer.tournament)
    refuse_without(reason)
    key = scoped_key(key, transfer.pk)
    with writing(transfer.tournament, verb="transfer.set-aside", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return TransferMatch.objects.get(pk=write.outcome["match"])
        made = TransferMatch.objects.create(transfer=_locked(transfer), **write.fact_fields())
        write.keep("transfer_matches", made)
        write.about(transfer, match=made.pk)
        return made


def _locked(transfer: BankTransfer) -> BankTransfer:
    """Two events may be asked for at once, so its own row is locked as well."""
    locked = BankTransfer.objects.select_for_update(of=("self",)).get(pk=transfer.pk)
    if TransferMatch.objects.filter(transfer=locked).exists():
        said = _("This transfer was recorded or set aside before. Open the list of transfers again.")
        raise Conflict("matched", said)
    return locked
