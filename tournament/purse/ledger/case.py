"""Read the stateless case of `ledger` strictly, and book it with the functions that the pages use.

The contract of the command defines what is refused. These are the rules where it is silent:

- A missing `prize_percent` is “82”, as in `payout`. An entry is a whole number from 1. A method and a category are
  any text.
- Faults in the form of the case are reported for all movements, and then nothing is booked. A refusal names the
  amount (`movements[2].cents`), an unknown entry names the entry, and a refused reversal its `of`.
- A method is not listed if all its movements were reversed.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tournament.cases import Fields, Problems, read_integer, read_object, read_text
from tournament.errors import BadCase, DomainError
from tournament.purse.ledger.balances import Balances, SplitTerms
from tournament.purse.ledger.daybook import Daybook
from tournament.purse.ledger.postings import (
    Booking,
    book_added,
    book_charge,
    book_discount,
    book_expense,
    book_payment,
    book_payout,
    book_refund,
)
from tournament.purse.pool import PRIZE_PERCENT, DiscountsFrom, read_prize_percent
from tournament.said import worded

REVERSE: Final = "reverse"
KINDS: Final[dict[str, tuple[Callable[..., Booking], tuple[str, ...]]]] = {
    "charge": (book_charge, ("entry", "cents")),
    "discount": (book_discount, ("entry", "cents")),
    "payment": (book_payment, ("entry", "cents", "method")),
    "refund": (book_refund, ("entry", "cents", "method")),
    "added": (book_added, ("cents", "method")),
    "expense": (book_expense, ("cents", "method", "category")),
    "payout": (book_payout, ("entry", "cents", "method")),
}
READERS: Final[dict[str, Callable[[Any, str, Problems], Any]]] = {
    "entry": partial(read_integer, minimum=1),
    "cents": partial(read_integer, minimum=1),
    "method": read_text,
    "category": read_text,
}

Step = Booking | int
"""A movement, or the index of the movement that is reversed."""
Reader = Callable[[Any, str, Problems], int | None]


def answer_ledger(case: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one case, without `ok`.

    >>> movements = [{"kind": "charge", "entry": 7, "cents": 100_00}, {"kind": "discount", "entry": 7, "cents": 20_00}]
    >>> movements.append({"kind": "payment", "entry": 7, "cents": 80_00, "method": "cash"})
    >>> answer = answer_ledger({"movements": movements})
    >>> answer["pool_cents"], answer["expenses_cents"], answer["sum_cents"]
    (8200, -200, 0)

    Raises:
        BadCase: with every problem of the case, or with the first refusal.
    """
    problems = Problems()
    fields = Fields(case, problems)
    percent = fields.read("prize_percent", _read_percent, PRIZE_PERCENT)
    chosen = fields.choice("discounts_from", [str(one) for one in DiscountsFrom], default=str(DiscountsFrom.EXPENSES))
    steps = fields.read("movements", _read_steps)
    fields.finish()
    problems.check()
    terms = SplitTerms(percent, DiscountsFrom(chosen))
    return _as_json(_book(steps or [], terms), terms)


def _book(steps: list[Step], terms: SplitTerms) -> Balances:
    daybook = Daybook(terms)
    for index, step in enumerate(steps):
        try:
            if isinstance(step, Booking):
                daybook.book(step)
            else:
                daybook.reverse(step)
        except DomainError as refusal:
            name = "of" if not isinstance(step, Booking) else "entry" if refusal.code == "unknown-entry" else "cents"
            problems = Problems()
            problems.add(refusal.code, f"movements[{index}].{name}", refusal.message)
            raise BadCase(problems.found) from None
    return daybook.balances


def _as_json(balances: Balances, terms: SplitTerms) -> dict[str, Any]:
    pool = balances.pool(terms)
    entries = {
        str(number): {
            "owed": account.owed_cents,
            "paid": account.kept_cents,
            "due": account.due_cents,
            "to_return": account.refund_due_cents,
        }
        for number, account in sorted(balances.accounts.items())
    }
    return {
        "entries": entries,
        "methods": dict(sorted(balances.in_hand.items())),
        "collected_cents": pool.collected_cents,
        "base_cents": pool.collected_cents + pool.discounts_cents,
        "pool_cents": pool.pool_cents,
        "expenses_cents": pool.expenses_cents,
        "spent_cents": balances.spent.total(),
        "paid_out_cents": balances.paid_out.total(),
        "in_hand_cents": balances.in_hand.total(),
        "sum_cents": balances.proof(),
    }


def _read_percent(value: object, path: str, problems: Problems) -> str | None:
    text = read_text(value, path, problems)
    if text is None:
        return None
    try:
        return read_prize_percent(text).text
    except DomainError as refusal:
        problems.add(refusal.code, path, refusal.message)
        return None


def _read_steps(value: object, path: str, problems: Problems) -> list[Step] | None:
    if not isinstance(value, list):
        problems.bad(path, worded("The movements are a list, in their order."))
        return None
    kinds = [item.get("kind") if isinstance(item, dict) else None for item in value]
    reversals: dict[int, str] = {}
    read = (
        _read_step(item, f"{path}[{index}]", problems, partial(_read_of, kinds, index, reversals))
        for index, item in enumerate(value)
    )
    return [step for step in read if step is not None]


def _read_step(value: object, path: str, problems: Problems, read_of: Reader) -> Step | None:
    found = read_object(value, path, problems)
    if found is None:
        return None
    fields = Fields(found, problems, path)
    kind = fields.choice("kind", [*KINDS, REVERSE])
    if kind is None:
        return None
    if kind == REVERSE:
        of = fields.read("of", read_of)
        fields.finish()
        return of
    make, names = KINDS[kind]
    facts: dict[str, Any] = {name: fields.read(name, READERS[name]) for name in names}
    fields.finish()
    return None if None in facts.values() else make(**facts)


def _read_of(
    kinds: list[Any], before: int, reversals: dict[int, str], value: object, path: str, problems: Problems
) -> int | None:
    """Return the index of an earlier movement. Each can be reversed once, and a reversal never."""
    of = read_integer(value, path, problems, minimum=0)
    if of is None:
        return None
    if of >= before:
        problems.bad(path, worded("Only an earlier movement can be reversed. The first one has the number 0."))
    elif kinds[of] == REVERSE:
        problems.bad(path, worded("Movement %(number)s is a reversal itself. Record the movement again.", number=of))
    elif reversals.setdefault(of, path) != path:
        said = worded("Movement %(number)s was reversed already, at %(seen)s.", number=of, seen=reversals[of])
        problems.bad(path, said)
    else:
        return of
    return None
