"""Payments that a bank or a card provider reports, and the entries that they are for."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils import timezone

from tournament.errors import NotFound
from tournament.intake import LISTS, read_in_own_process
from tournament.lazy_text import lazy_text
from tournament.models import BankList as StoredList
from tournament.models import BankTransfer, CardEvent, CardPayment, Entrant, Event, Tournament, User
from tournament.money.selectors.ledger import account_of
from tournament.purse.fees import find_references, make_reference
from tournament.spreadsheets.bank_statements import BankRow, BankStatement, read_bank_statement
from tournament.spreadsheets.names import name_key

PAID: Final = "payment.succeeded"
REFUNDED: Final = "payment.refunded"
UNREAD: Final = "unread"
"""The kind of a signed message that cannot be read. Its payload is its bytes in base64."""
PROVIDER_COLUMNS: Final = ("ident", "kind", "at", "payload", "refund", "cents", "currency")
"""The columns for the provider's data, which never change."""


# --- Bank transfers --------------------------------------------------------------------------------------------------


def reference_of_entry(entrant: Entrant) -> str:
    return make_reference(entrant.pk)


def entrants_by_reference(tournament: Tournament, text: str) -> list[Entrant]:
    """Return the entries whose references occur in a text, each once. A half is replaced by its pair."""
    entries = Entrant.objects.filter(pk__in=find_references(text), event__tournament=tournament)
    rows = entries.select_related("event__tournament", "joined_to__event__tournament").order_by("pk")
    return list({owner.pk: owner for owner in (row.joined_to or row for row in rows)}.values())


def entrant_by_reference(tournament: Tournament, text: str) -> Entrant | None:
    """Return the entry whose reference occurs in a text, or None for several references or none."""
    entrants = entrants_by_reference(tournament, text)
    return entrants[0] if len(entrants) == 1 else None


def unmatched_transfers(tournament: Tournament) -> QuerySet[BankTransfer]:
    return tournament.transfers.filter(match=None).order_by("pk")


def suggest_entries(tournament: Tournament) -> list[tuple[BankTransfer, Entrant | None]]:
    """Return each unmatched transfer with the one entry whose reference it carries, or None."""
    return [(row, entrant_by_reference(tournament, row.text)) for row in unmatched_transfers(tournament)]


def matched_transfers(tournament: Tournament) -> QuerySet[BankTransfer]:
    """Return the transfers that were recorded as a payment or set aside, newest first."""
    rows = tournament.transfers.exclude(match=None)
    return rows.select_related("match__line__entrant", "match__line__movement", "match__line__event").order_by("-pk")


def load_stored_list(tournament: Tournament, pk: int) -> StoredList:
    stored = tournament.bank_lists.select_related("tournament").filter(pk=pk).first()
    if stored is None:
        raise NotFound("no-list", lazy_text("There is no such list. Import the bank's list again."))
    return stored


def load_bank_list(stored: StoredList) -> BankStatement:
    """Read the rows of a bank statement, in the encoding, sheet and order that the desk chose."""
    today = timezone.now().astimezone(ZoneInfo(stored.tournament.time_zone)).date()
    content = bytes(stored.content or b"")
    chosen = (stored.encoding, stored.sheet, stored.order)
    return read_in_own_process(LISTS, read_bank_statement, content, *chosen, today, stored.tournament.currency)


def preview_bank_list(tournament: Tournament, listed: BankStatement) -> list[dict[str, Any]]:
    """Return every row that is not blank, with its entrant and the outcome of recording it.

    Outcomes are `pays`, `settled`, `finished`, `by-hand`, `known`, `out`, `sum`, `doubted` and `unread`.
    """
    came_in = {row.number: idents for row, idents in pair_with_identifiers(row for row in listed.rows if row.came_in)}
    known = set(tournament.transfers.values_list("ident", flat=True))
    due: dict[int, int] = {}
    outcomes: list[dict[str, Any]] = []
    for row in listed.rows:
        if row.is_blank:
            continue
        if not row.came_in:
            is_out = row.cents is not None and row.cents <= 0 and not row.is_unread
            is_sum = any(each.code == "a-sum" for each in row.remarks)
            outcome = "out" if is_out else "sum" if is_sum else "unread" if row.is_unread else "doubted"
            outcomes.append({"row": row, "outcome": outcome, "entrant": None})
            continue
        entrant = entrant_by_reference(tournament, row.text)
        if known & set(came_in[row.number]):
            outcome = "known"
        elif entrant is None:
            outcome = "by-hand"
        elif entrant.event.state == Event.State.FINISHED:
            outcome = "finished"
        else:
            left = due.setdefault(entrant.pk, account_of(entrant).due_cents)
            outcome = "pays" if left else "settled"
            due[entrant.pk] = max(0, left - (row.cents or 0))
        outcomes.append({"row": row, "outcome": outcome, "entrant": entrant})
    return outcomes


def pair_with_identifiers(rows: Iterable[BankRow]) -> Iterator[tuple[BankRow, tuple[str, ...]]]:
    """Pair each row with the identifiers by which it is recognized in a statement of another layout.

    The first identifier combines the day, the amount, and the reference or payer. The second one uses every word of the
    row, for older imports. Identical transfers of a day are numbered.
    """
    alike: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        references = find_references(row.text)
        payer = references or (row.reference.replace(" ", "").upper() or name_key(row.payer) or name_key(row.text),)
        key = (row.day.isoformat() if row.day else name_key(row.booked), row.cents, *payer)
        alike[key] += 1
        words = (row.booked, row.cents, row.payer, row.text)
        alike[words] += 1
        texts = (repr((*key, alike[key])), repr((*words, alike[words])))
        yield row, tuple(hashlib.sha256(text.encode()).hexdigest() for text in texts)


# --- Card messages ---------------------------------------------------------------------------------------------------


def card_events_of(event: Event) -> QuerySet[CardEvent]:
    """Return the messages about the card payments of an event, newest first."""
    rows = CardEvent.objects.filter(payment__event=event)
    return rows.select_related("payment__entrant", "line__movement").order_by("-pk")


def unknown_card_events(tournament: Tournament, user: User) -> QuerySet[CardEvent]:
    """Return payments and refunds that did not begin here, settled or not, oldest first.

    Administrators see all of them. Other users see only the messages that may belong to their tournament.
    """
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    return rows if user.is_superuser else card_events_without_entry(tournament)


def card_events_without_entry(tournament: Tournament) -> QuerySet[CardEvent]:
    """Return the messages without a payment of ours that may belong to this tournament.

    A message may belong to it if it has the tournament's currency, or if it cannot be read.
    """
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    takes_cards = "card" in tournament.providers or CardPayment.objects.filter(event__tournament=tournament).exists()
    of_here = Q(currency=tournament.currency) | Q(kind=UNREAD)
    return rows.filter(of_here) if takes_cards else rows.none()


def settled_card_events(event: Event) -> QuerySet[CardEvent]:
    """Return the unknown messages that were recorded for an entry of this event, newest first."""
    rows = CardEvent.objects.filter(payment=None, line__event=event)
    return rows.select_related("line__entrant", "line__movement").order_by("-pk")


def waiting_card_events(event: Event) -> QuerySet[CardEvent]:
    """Return the messages that a director has to settle, about this event or about no known entry."""
    waiting = CardEvent.objects.filter(state=CardEvent.State.WAITING)
    return waiting.filter(Q(payment__event=event) | Q(pk__in=card_events_without_entry(event.tournament).values("pk")))


def has_wrong_amount(row: CardEvent, currency: str) -> bool:
    """Return whether a payment waits because its amount differs from the amount that was requested.

    A payment in another currency never qualifies, because it cannot be recorded.
    """
    if row.payment is None or (row.kind, row.state, row.currency) != (PAID, CardEvent.State.WAITING, currency):
        return False
    return row.cents not in (0, row.payment.cents)
