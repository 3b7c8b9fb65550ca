"""Payments reported by a bank or a card provider, and the entries that they belong to."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils import timezone

from tournament.core.selectors.copies import takes_card_payments
from tournament.core.selectors.rows import load_recorded_keys
from tournament.intake import LIST_FILE_LIMITS, read_in_subprocess
from tournament.models import BankList as StoredList
from tournament.models import BankTransfer, CardEvent, CardPayment, Entrant, Event, Tournament
from tournament.purse.fees import find_payment_references, make_payment_reference
from tournament.spreadsheets.bank_statements import BankStatement, BankStatementLine, read_bank_statement
from tournament.spreadsheets.names import name_key

PAYMENT_SUCCEEDED_KIND: Final = "payment.succeeded"
PAYMENT_REFUNDED_KIND: Final = "payment.refunded"
UNREADABLE_MESSAGE_KIND: Final = "unread"
"""The kind of a signed message that cannot be parsed. Its payload contains the raw bytes in base64."""
PROVIDER_DATA_COLUMNS: Final = ("ident", "kind", "at", "payload", "refund", "cents", "currency")
"""Columns that contain the provider's data and never change."""


# --- Bank transfers --------------------------------------------------------------------------------------------------


def make_entry_reference(entrant: Entrant) -> str:
    return make_payment_reference(entrant.pk)


def find_entrants_by_reference(tournament: Tournament, text: str) -> list[Entrant]:
    """Return the entries whose references occur in a text, without duplicates.

    A reference to one partner's entry leads to the pair's entry. References from before an import are recognized, too.
    """
    references = find_payment_references(text)
    if not references:
        return []
    keys = load_recorded_keys(tournament.pk)
    numbers = [each for number in references for each in keys.list_current_keys(Entrant._meta.label, number)]
    entries = Entrant.objects.filter(pk__in=numbers, event__tournament=tournament)
    rows = entries.select_related("event__tournament", "joined_to__event__tournament").order_by("pk")
    return list({owner.pk: owner for owner in (row.joined_to or row for row in rows)}.values())


def match_reference_to_entrant(tournament: Tournament, text: str) -> Entrant | None:
    """Return the entry whose reference occurs in a text, or None if there is no such entry or more than one."""
    entrants = find_entrants_by_reference(tournament, text)
    return entrants[0] if len(entrants) == 1 else None


def load_unmatched_transfers(tournament: Tournament) -> QuerySet[BankTransfer]:
    return tournament.transfers.filter(match=None).order_by("pk")


def load_bank_statement(stored: StoredList) -> BankStatement:
    """Parse a bank statement with the encoding, sheet and date order that the desk chose."""
    today = timezone.now().astimezone(ZoneInfo(stored.tournament.time_zone)).date()
    content = bytes(stored.content or b"")
    chosen = (stored.encoding, stored.sheet, stored.order)
    return read_in_subprocess(
        LIST_FILE_LIMITS, read_bank_statement, content, *chosen, today, stored.tournament.currency
    )


def iter_rows_with_identifiers(
    rows: Iterable[BankStatementLine],
) -> Iterator[tuple[BankStatementLine, tuple[str, ...]]]:
    """Yield each row with two identifiers, so that a transfer is recognized if another statement contains it again.

    The first identifier combines the day, the amount, and the reference or payer. It does not depend on the layout of
    the statement. The second identifier uses all text in the row, and recognizes transfers from older imports.
    Identical transfers on one day are numbered.
    """
    alike: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        references = find_payment_references(row.text)
        payer = references or (row.reference.replace(" ", "").upper() or name_key(row.payer) or name_key(row.text),)
        key = (row.day.isoformat() if row.day else name_key(row.booked), row.cents, *payer)
        alike[key] += 1
        words = (row.booked, row.cents, row.payer, row.text)
        alike[words] += 1
        texts = (repr((*key, alike[key])), repr((*words, alike[words])))
        yield row, tuple(hashlib.sha256(text.encode()).hexdigest() for text in texts)


# --- Card messages ---------------------------------------------------------------------------------------------------


def load_card_events(event: Event) -> QuerySet[CardEvent]:
    """Return the card provider's messages about the event's payments, newest first."""
    rows = CardEvent.objects.filter(payment__event=event)
    return rows.select_related("payment__entrant", "line__movement").order_by("-pk")


def load_card_events_without_entry(tournament: Tournament) -> QuerySet[CardEvent]:
    """Return the card provider's messages that match no payment on this site, but may belong to this tournament.

    These are messages with the tournament's currency, and messages that cannot be parsed. For a copy, there are none.
    """
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    if tournament.is_copy:
        return rows.none()
    takes_cards = takes_card_payments(tournament) or CardPayment.objects.filter(event__tournament=tournament).exists()
    of_here = Q(currency=tournament.currency) | Q(kind=UNREADABLE_MESSAGE_KIND)
    return rows.filter(of_here) if takes_cards else rows.none()


def load_manually_matched_card_events(event: Event) -> QuerySet[CardEvent]:
    """Return card payments that staff matched with an entry by hand, newest first.

    The provider's messages about them matched no payment that was started on this site.
    """
    rows = CardEvent.objects.filter(payment=None, line__event=event)
    return rows.select_related("line__entrant", "line__movement").order_by("-pk")


def load_pending_card_events(event: Event) -> QuerySet[CardEvent]:
    """Return the card provider's messages that await a director's decision.

    These are messages about this event, and messages that match no known entry.
    """
    waiting = CardEvent.objects.filter(state=CardEvent.State.WAITING)
    return waiting.filter(
        Q(payment__event=event) | Q(pk__in=load_card_events_without_entry(event.tournament).values("pk"))
    )
