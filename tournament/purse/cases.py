"""Strict input and output for the stateless commands `payout` and `ledger`, which call the same functions as the pages.

Each command's contract (CONTRACTS.md) defines its output. For `payout`, these rules fill the gaps in the contract:

- Entry numbers and `unit_cents` are whole numbers of at least 1. Other amounts are zero or more. Fees may be empty.
- A percentage is a string of digits, optionally with a point and more digits. Anything else is `bad-value`. A
  negative percentage in the scale is `bad-scale`.
- An empty group in `finish` is `bad-value`. If all groups are empty, `no-finish` is reported as well.
- Exactly one of `scale` and `flat_cents` must be given. Both together are `bad-value` at `flat_cents`, and neither is
  `missing-field` at `scale`. An empty list is `bad-scale`.
- Flat amounts are compared with the whole pool, no matter how many entries finish.
- The output contains `subsidy_cents` if the case has `guarantee_cents`. It is 0 if the pool is large enough.
- The ranked entries are those in `finish`. A list shorter than the scale means that no more entries were ranked.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from tournament.cases import FieldReader, ProblemCollector, read_integer, read_object, read_text, read_valid_list
from tournament.errors import DomainError, InvalidInput
from tournament.lazy_text import lazy_text
from tournament.purse.pool import DEFAULT_PRIZE_PERCENT, DiscountSource, PrizePool, make_prize_pool, read_prize_percent
from tournament.purse.postings import Daybook, MoneyMovement, make_movement
from tournament.purse.prizes import (
    DEFAULT_ROUNDING_UNIT_CENTS,
    FlatAmounts,
    Payout,
    Percent,
    PoolDivision,
    PrizeScale,
    compute_payout,
    make_placings_from_finish,
)

_T = TypeVar("_T")

_NEGATIVE_NUMBER_PATTERN: Final = re.compile(r"-[0-9]+(\.[0-9]+)?")

_read_amount = partial(read_integer, minimum=0)


def run_payout_case(case: dict[str, Any]) -> dict[str, Any]:
    """Compute the answer of the command `payout` for one case, except for the field `ok`.

    >>> case = {"fees_cents": [300_00] * 4, "scale": ["70", "30"], "finish": [[7], [3]]}
    >>> run_payout_case(case)["awards_cents"]
    {'7': 68900, '3': 29500}

    Raises:
        InvalidInput: with every problem of the case.
    """
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    pool = _read_pool(fields)
    division = _read_division(fields)
    finish = fields.read("finish", _read_finish)
    fields.finish(known=("scale", "flat_cents"))
    if pool is not None and isinstance(division, FlatAmounts):
        _call_or_report(partial(division.divide, pool.pool_cents), "flat_cents", problems)
    if problems or pool is None or division is None or finish is None:
        raise InvalidInput(problems.found)
    payout = compute_payout(pool.pool_cents, division, make_placings_from_finish(finish))
    return _payout_to_json(pool, payout, with_subsidy="guarantee_cents" in case)


def _payout_to_json(pool: PrizePool, payout: Payout, *, with_subsidy: bool) -> dict[str, Any]:
    answer = {
        "collected_cents": pool.collected_cents,
        "pool_cents": pool.pool_cents,
        "expenses_cents": pool.expenses_cents,
        "places_cents": list(payout.places_cents),
        "awards_cents": {str(award.entry): award.cents for award in payout.awards},
    }
    if with_subsidy:
        answer["subsidy_cents"] = pool.subsidy_cents
    return answer


def _read_pool(fields: FieldReader) -> PrizePool | None:
    """Read the prize pool, or return None if any part of it is invalid.

    Call this before reading any other field. If another field has already added a problem to `fields`, the result is
    None even if the prize pool is valid.
    """
    fees = fields.items("fees_cents", _read_amount)
    percent = fields.read(
        "prize_percent", partial(_read_percent, parse=read_prize_percent), Percent(DEFAULT_PRIZE_PERCENT)
    )
    discounts = fields.integer("discounts_cents", minimum=0, default=0)
    added = fields.integer("added_cents", minimum=0, default=0)
    guarantee = fields.integer("guarantee_cents", minimum=0, default=0)
    if fields.problems:
        return None
    return make_prize_pool(
        sum(fees), percent.text, discounts_cents=discounts, added_cents=added, guarantee_cents=guarantee
    )


def _read_division(fields: FieldReader) -> PoolDivision | None:
    unit = fields.integer("unit_cents", minimum=1, default=DEFAULT_ROUNDING_UNIT_CENTS)
    if "flat_cents" in fields:
        flat = fields.read("flat_cents", _read_flat_amounts)
        if "scale" not in fields:
            return flat
        fields.problems.add_bad_value(
            fields.get_path("flat_cents"), lazy_text("Give “scale” or “flat_cents”, not both.")
        )
    return fields.read("scale", partial(_read_scale, unit_cents=unit))


def _read_flat_amounts(value: object, path: str, problems: ProblemCollector) -> FlatAmounts | None:
    amounts = read_valid_list(value, path, problems, each=_read_amount)
    return None if amounts is None else _call_or_report(lambda: FlatAmounts(tuple(amounts)), path, problems)


def _read_scale(value: object, path: str, problems: ProblemCollector, *, unit_cents: int) -> PrizeScale | None:
    percents = read_valid_list(value, path, problems, each=_read_scale_percent)
    return (
        None if percents is None else _call_or_report(lambda: PrizeScale(tuple(percents), unit_cents), path, problems)
    )


def _read_scale_percent(value: object, path: str, problems: ProblemCollector) -> Percent | None:
    if isinstance(value, str) and _NEGATIVE_NUMBER_PATTERN.fullmatch(value):
        problems.add("bad-scale", path, lazy_text("A percent of the scale is zero or more, written without a sign."))
        return None
    return _read_percent(value, path, problems, parse=Percent)


def _read_percent(
    value: object, path: str, problems: ProblemCollector, *, parse: Callable[[str], Percent]
) -> Percent | None:
    text = read_text(value, path, problems)
    return None if text is None else _call_or_report(lambda: parse(text), path, problems)


def _read_finish(value: object, path: str, problems: ProblemCollector) -> list[list[int]] | None:
    seen: dict[int, str] = {}
    groups = read_valid_list(value, path, problems, each=partial(_read_group, seen=seen))
    if isinstance(value, list) and all(group == [] for group in value):
        problems.add("no-finish", path, lazy_text("No player has a final place, so there is nobody to pay."))
    return groups


def _read_group(value: object, path: str, problems: ProblemCollector, *, seen: dict[int, str]) -> list[int] | None:
    if value == []:
        problems.add_bad_value(path, lazy_text("A place of the finish names at least one entry."))
        return None
    return read_valid_list(value, path, problems, each=partial(_read_entry, seen=seen))


def _read_entry(value: object, path: str, problems: ProblemCollector, *, seen: dict[int, str]) -> int | None:
    number = read_integer(value, path, problems, minimum=1)
    if number is None or seen.setdefault(number, path) == path:
        return number
    problems.add_bad_value(
        path, lazy_text("Entry %(number)s finished already, at %(seen)s.", number=number, seen=seen[number])
    )
    return None


def _call_or_report(act: Callable[[], _T], path: str, problems: ProblemCollector) -> _T | None:
    """Return the result of `act`, or report its `DomainError` as a problem at `path` and return None."""
    try:
        return act()
    except DomainError as refusal:
        problems.add(refusal.code, path, refusal.message)
        return None


# --- Ledger ----------------------------------------------------------------------------------------------------------

_REVERSE: Final = "reverse"
_FIELDS_BY_KIND: Final[dict[str, tuple[str, ...]]] = {
    "charge": ("entry", "cents"),
    "discount": ("entry", "cents"),
    "payment": ("entry", "cents", "method"),
    "refund": ("entry", "cents", "method"),
    "added": ("cents", "method"),
    "expense": ("cents", "method", "category"),
    "payout": ("entry", "cents", "method"),
}
"""The kinds of movements in a case, with their fields."""
_FIELD_READERS: Final[dict[str, Callable[[Any, str, ProblemCollector], Any]]] = {
    "entry": partial(read_integer, minimum=1),
    "cents": partial(read_integer, minimum=1),
    "method": read_text,
    "category": read_text,
}

_Step = MoneyMovement | int
"""A movement, or the index of a movement to reverse."""
_Reader = Callable[[Any, str, ProblemCollector], int | None]


def run_ledger_case(case: dict[str, Any]) -> dict[str, Any]:
    """Compute the answer of the command `ledger` for one case, except for the field `ok`.

    >>> movements = [{"kind": "charge", "entry": 7, "cents": 100_00}, {"kind": "discount", "entry": 7, "cents": 20_00}]
    >>> movements.append({"kind": "payment", "entry": 7, "cents": 80_00, "method": "cash"})
    >>> answer = run_ledger_case({"movements": movements})
    >>> answer["pool_cents"], answer["expenses_cents"], answer["sum_cents"]
    (8200, -200, 0)

    Raises:
        InvalidInput: with every problem of the case, or with the first movement that is rejected.
    """
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    percent = fields.read(
        "prize_percent", partial(_read_percent, parse=read_prize_percent), Percent(DEFAULT_PRIZE_PERCENT)
    )
    chosen = fields.choice(
        "discounts_from", [str(source) for source in DiscountSource], default=str(DiscountSource.EXPENSES)
    )
    steps = fields.read("movements", _read_steps)
    fields.finish()
    problems.raise_if_any()
    daybook = Daybook(percent.text, DiscountSource(chosen))
    _book_steps(daybook, steps or [])
    return _ledger_to_json(daybook)


def _book_steps(daybook: Daybook, steps: list[_Step]) -> None:
    for index, step in enumerate(steps):
        try:
            if isinstance(step, MoneyMovement):
                daybook.post(step)
            else:
                daybook.reverse(step)
        except DomainError as refusal:
            name = (
                "of" if not isinstance(step, MoneyMovement) else "entry" if refusal.code == "unknown-entry" else "cents"
            )
            problems = ProblemCollector()
            problems.add(refusal.code, f"movements[{index}].{name}", refusal.message)
            raise InvalidInput(problems.found) from None


def _ledger_to_json(daybook: Daybook) -> dict[str, Any]:
    balances, pool = daybook.balances, daybook.compute_pool()
    entries = {
        str(number): {
            "owed": account.owed_cents,
            "paid": account.net_paid_cents,
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
        "sum_cents": balances.compute_balance_check(),
    }


def _read_steps(value: object, path: str, problems: ProblemCollector) -> list[_Step] | None:
    if not isinstance(value, list):
        problems.add_bad_value(path, lazy_text("The movements are a list, in their order."))
        return None
    kinds = [item.get("kind") if isinstance(item, dict) else None for item in value]
    reversals: dict[int, str] = {}
    read = (
        _read_step(item, f"{path}[{index}]", problems, partial(_read_reversed_index, kinds, index, reversals))
        for index, item in enumerate(value)
    )
    return [step for step in read if step is not None]


def _read_step(value: object, path: str, problems: ProblemCollector, read_of: _Reader) -> _Step | None:
    step = read_object(value, path, problems)
    if step is None:
        return None
    fields = FieldReader(step, problems, path)
    kind = fields.choice("kind", [*_FIELDS_BY_KIND, _REVERSE])
    if kind is None:
        return None
    if kind == _REVERSE:
        of = fields.read("of", read_of)
        fields.finish()
        return of
    facts: dict[str, Any] = {name: fields.read(name, _FIELD_READERS[name]) for name in _FIELDS_BY_KIND[kind]}
    fields.finish()
    return None if None in facts.values() else make_movement(kind, **facts)


def _read_reversed_index(
    kinds: list[Any], before: int, reversals: dict[int, str], value: object, path: str, problems: ProblemCollector
) -> int | None:
    """Return the index of an earlier movement to reverse.

    Each movement can be reversed only once, and a reversal cannot be reversed.
    """
    of = read_integer(value, path, problems, minimum=0)
    if of is None:
        return None
    if of >= before:
        problems.add_bad_value(
            path, lazy_text("Only an earlier movement can be reversed. The first one has the number 0.")
        )
    elif kinds[of] == _REVERSE:
        problems.add_bad_value(
            path, lazy_text("Movement %(number)s is a reversal itself. Record the movement again.", number=of)
        )
    elif reversals.setdefault(of, path) != path:
        message = lazy_text("Movement %(number)s was reversed already, at %(seen)s.", number=of, seen=reversals[of])
        problems.add_bad_value(path, message)
    else:
        return of
    return None
