"""A bank's list of transfers: each is recorded once, as a payment of the entry whose reference it carries."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.intake.apart import read_apart
from tournament.intake.limits import LISTS
from tournament.models import BankList, BankTransfer, Entrant, Event, LedgerLine, Tournament, TransferMatch
from tournament.money.selectors.ledger import account_of
from tournament.money.selectors.transfers import entrant_of_transfer, load_bank_list, with_idents
from tournament.money.services.ledger import add_payment
from tournament.spreadsheets.bank_lists import BankRow, read_bank_list
from tournament.spreadsheets.dates import ORDERS
from tournament.spreadsheets.encodings import is_text_encoding

TRANSFER = LedgerLine.Method.TRANSFER.value
LONGEST = LedgerLine._meta.get_field("reference").max_length or 0


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The number of transfers of a list that were paid to an entry, left for the desk, or known already."""

    matched: int = 0
    unmatched: int = 0
    known: int = 0


def keep_bank_list(tournament: Tournament, file_name: str, content: bytes, *, by: Actor) -> BankList:
    """Store a bank's list so that it can be reviewed. No payment is recorded yet.

    Raises:
        UnreadableList: if the file is no list.
        DomainError: `no-amounts`, `no-directions`, with what to do.
    """
    require(by, "desk", tournament)
    read_apart(LISTS, read_bank_list, content)
    with writing(tournament, verb="transfer.list-read", by=by) as write:
        made = BankList.objects.create(
            tournament=tournament,
            file_name=file_name[-255:],
            file_digest=hashlib.sha256(content).hexdigest(),
            content=content,
            **write.fact_fields(),
        )
        write.about(made.file_name, list=made.pk, sha256=made.file_digest)
        return made


def read_bank_list_again(
    bank_list: BankList, *, by: Actor, encoding: str = "", sheet: str = "", order: str = ""
) -> None:
    """Choose the encoding, the sheet, or the order of days and months in which a list is read.

    Raises:
        DomainError: `no-such-choice`.
    """
    require(by, "desk", bank_list.tournament)
    if (encoding and not is_text_encoding(encoding)) or order not in ("", *ORDERS):
        raise DomainError("no-such-choice", _("Choose one of the readings that the page offers."))
    with writing(bank_list.tournament, verb="transfer.list-read-again", by=by) as write:
        bank_list.encoding = encoding or bank_list.encoding
        bank_list.sheet = sheet or bank_list.sheet
        bank_list.order = order or bank_list.order
        bank_list.save(update_fields=["encoding", "sheet", "order"])
        write.about(bank_list.file_name, list=bank_list.pk, encoding=encoding, sheet=sheet, order=order)


def record_bank_list(bank_list: BankList, *, by: Actor) -> TakenIn:
    """Record the incoming transfers of a list, as its page shows them.

    Raises:
        Conflict: `reading-open` if the list can be read in two ways.
    """
    listed = load_bank_list(bank_list)
    if listed.read.encodings or not listed.order_is_sure:
        raise Conflict("reading-open", _("The list can be read in two ways. Choose one on its page first."))
    taken = take_transfers(bank_list.tournament, [row for row in listed.rows if row.came_in], by=by)
    with writing(bank_list.tournament, verb="transfer.list-recorded", by=by) as write:
        bank_list.taken_at = write.at
        bank_list.save(update_fields=["taken_at"])
        write.about(bank_list.file_name, list=bank_list.pk, matched=taken.matched, unmatched=taken.unmatched)
    return taken


def take_transfers(tournament: Tournament, rows: Iterable[BankRow], *, by: Actor) -> TakenIn:
    """Record the transfers of a list. Lists may overlap: a transfer that is known already adds nothing."""
    require(by, "desk", tournament)
    counted: Counter[str] = Counter()
    # Each transfer is a write of its own, because nobody may hold the locks of several events at once.
    for row, idents in with_idents(rows):
        counted[_take(tournament, row, idents, by)] += 1
    return TakenIn(**counted)


def _take(tournament: Tournament, row: BankRow, idents: tuple[str, ...], by: Actor) -> str:
    if tournament.transfers.filter(ident__in=idents).exists():
        return "known"
    entrant = entrant_of_transfer(tournament, row)
    scope: Event | Tournament = entrant.event if entrant is not None else tournament
    with writing(scope, verb="transfer.taken-in", by=by) as write:
        if tournament.transfers.filter(ident__in=idents).exists():
            write.about(row.payer, known=True)
            return "known"
        facts = {"booked": row.booked, "cents": row.cents, "payer": row.payer, "text": row.text}
        made = BankTransfer.objects.create(tournament=tournament, ident=idents[0], **facts, **write.fact_fields())
        write.keep("transfers", made)
        write.about(made, transfer=made.pk, cents=made.cents)
        # If the entry owes nothing, the desk decides: the payment may be meant for another entry.
        if entrant is None or write.the_event.state == Event.State.FINISHED or not account_of(entrant).due_cents:
            return "unmatched"
        _pay(write, made, entrant)
        return "matched"


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
    """Set a transfer aside that does not concern the tournament. It is not a payment, and leaves the list.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `matched`.
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
    """Lock the transfer's own row too, because two writes of different events may match it at once."""
    locked = BankTransfer.objects.select_for_update(of=("self",)).get(pk=transfer.pk)
    if TransferMatch.objects.filter(transfer=locked).exists():
        said = _("This transfer was recorded or set aside before. Open the list of transfers again.")
        raise Conflict("matched", said)
    return locked
