"""Values that people already have: an entry's number, private link, and signing code, and the number of a receipt.

An action that another laptop recorded may be carried out again on this laptop. Its entries and receipts then keep the
values that they got on the other laptop. Services take these values from the context of `use_issued_values`. In all
other cases, they choose new values.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from django.db.models import Max, Model, QuerySet

from tournament.models import AuditEntry, Entrant, Event, LinkAnswer, Member, Movement
from tournament.purse.kinds import MONEY_KIND_DETAILS

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{6,64}")
_SIGN_CODE: Final = re.compile(r"[A-Za-z0-9]{4,12}")
_MAX_NUMBER: Final = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryCredentials:
    """An entry with its number, the token of its private link, and its signing code. `event` is a slug."""

    event: str
    number: int
    name: str
    token: str
    sign_code: str

    @property
    def is_valid(self) -> bool:
        has_secrets = _TOKEN.fullmatch(str(self.token)) and _SIGN_CODE.fullmatch(str(self.sign_code))
        return bool(has_secrets) and _is_number(self.number)

    def __str__(self) -> str:
        return f"{self.number} {self.name}"  # as `Entrant` in the log


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedReceipt:
    """A receipt with its number in the books, and the number that is printed on it, such as “3-0017”.

    `event` is a slug, or "" if the receipt belongs to the whole tournament. `kind` is the kind of money.
    """

    event: str
    number: int
    kind: str
    printed: str

    @property
    def is_valid(self) -> bool:
        return _is_number(self.number)

    @property
    def is_on_paper(self) -> bool:
        """Whether somebody may have a printed receipt with this number. A charged fee has a number, but no receipt."""
        return self.kind in MONEY_KIND_DETAILS and MONEY_KIND_DETAILS[self.kind].moves_money


def _is_number(number: Any) -> bool:
    return type(number) is int and 0 < number < _MAX_NUMBER


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedValues:
    """The links, codes, and numbers that an action gave to new entries and receipts, in the order of recording."""

    entries: Sequence[EntryCredentials] = ()
    receipts: Sequence[IssuedReceipt] = ()

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "IssuedValues":
        """Return the values that another laptop sent. Malformed values are left out."""
        entries = [EntryCredentials(**each) for each in content["entries"]]
        receipts = [IssuedReceipt(**each) for each in content["receipts"]]
        return cls(
            entries=[each for each in entries if each.is_valid], receipts=[each for each in receipts if each.is_valid]
        )


def load_issued_values(log_entries: Iterable[AuditEntry]) -> IssuedValues:
    """Return the entries with new private links, and the receipts, that the actions in these log rows issued.

    An entry gets a link when it is created, when a player is substituted, and when the desk renews a lost link.
    """
    rows = [entry.row_digests for entry in log_entries]
    members = Member.objects.filter(pk__in=_list_keys(rows, Member))
    renewals = LinkAnswer.objects.filter(pk__in=_list_keys(rows, LinkAnswer), renewed=True)
    with_link = {*members.values_list("entrant", flat=True), *renewals.values_list("entrant", flat=True)}
    entrants = Entrant.objects.filter(pk__in=with_link).select_related("event").order_by("pk") if with_link else ()
    receipts = _list_keys(rows, Movement)
    movements = Movement.objects.filter(pk__in=receipts).select_related("event").order_by("pk") if receipts else ()
    return IssuedValues(entries=list(map(_make_issued_entry, entrants)), receipts=list(map(_make_receipt, movements)))


def _list_keys(rows: Iterable[Mapping[str, Mapping[str, str]]], model: type[Model]) -> list[int]:
    return [int(key) for key in chain.from_iterable(tables.get(model._meta.db_table, ()) for tables in rows)]


def _make_issued_entry(entrant: Entrant) -> EntryCredentials:
    return EntryCredentials(
        event=entrant.event.slug,
        number=entrant.number,
        name=entrant.name,
        token=entrant.token,
        sign_code=entrant.sign_code,
    )


def _make_receipt(movement: Movement) -> IssuedReceipt:
    event = movement.event.slug if movement.event is not None else ""
    return IssuedReceipt(event=event, number=movement.number, kind=movement.kind, printed=movement.receipt)


# --- Give out the same values again ----------------------------------------------------------------------------------


@dataclass
class _Reissue:
    entries: list[EntryCredentials]
    receipts: list[IssuedReceipt]
    reserved: Sequence[IssuedValues] = field(default_factory=list)


_reissue: ContextVar[_Reissue | None] = ContextVar("_reissue", default=None)


@contextmanager
def use_issued_values(issued: IssuedValues, reserved: Sequence[IssuedValues] = ()) -> Iterator[None]:
    """Give these values to the entries and receipts that are recorded in this block, unless they are already taken.

    New numbers avoid the `reserved` values, because other people already have those.
    """
    token = _reissue.set(_Reissue(list(issued.entries), list(issued.receipts), reserved))
    try:
        yield
    finally:
        _reissue.reset(token)


def take_entry_credentials(event: Event, name: str) -> EntryCredentials | None:
    """Return the issued values for the entry with this name, or None. Each entry's values are returned only once."""
    reissue = _reissue.get()
    entries = reissue.entries if reissue is not None else []
    issued = next((each for each in entries if (each.event, each.name) == (event.slug, name)), None)
    if issued is not None:
        entries.remove(issued)
    return issued


def is_token_free(token: str) -> bool:
    return not Entrant.objects.filter(token=token).exists()


def find_entry_number(event: Event, issued: EntryCredentials | None) -> int:
    """Return the number for a new entry: the issued number if it is free, otherwise the next free number."""
    last = event.entrants.aggregate(last=Max("number"))["last"] or 0
    return _find_number(event.entrants.all(), last, issued, _list_reserved(event.slug, "entries"))


def find_receipt_number(receipts: QuerySet[Movement], last: int, event: int | None, kind: str) -> int:
    """Return the number for a new receipt of this kind of money.

    Use the issued number for this kind if it is free, otherwise the next free number after `last`.

    `event` is the event's primary key, or None for the tournament's own receipts. `receipts` contains the existing
    receipts of the event or tournament.
    """
    if (reissue := _reissue.get()) is None:
        return last + 1
    slug = Event.objects.get(pk=event).slug if event is not None else ""
    issued = next((each for each in reissue.receipts if (each.event, each.kind) == (slug, kind)), None)
    if issued is not None:
        reissue.receipts.remove(issued)
    return _find_number(receipts, last, issued, _list_reserved(slug, "receipts"))


def _find_number(
    rows: QuerySet[Any], last: int, issued: EntryCredentials | IssuedReceipt | None, reserved: Sequence[int]
) -> int:
    if issued is not None and not rows.filter(number=issued.number).exists():
        return issued.number
    return max((last, *reserved)) + 1


def _list_reserved(event_slug: str, values: str) -> list[int]:
    reissue = _reissue.get()
    reserved = reissue.reserved if reissue is not None else ()
    return [each.number for issued in reserved for each in getattr(issued, values) if each.event == event_slug]
