"""Read the stateless case of `payout` strictly, and answer it with the functions that the pages use.

The contract of the command defines the answer. These are the rules where it is silent:

- Entry numbers and `unit_cents` are whole numbers from 1. Other amounts are zero or more. There may be no fees.
- A percent is a text of digits, or digits, a point and digits. Anything else is `bad-value`. A negative percent
  of the scale is `bad-scale`.
- A group of `finish` without entries is `bad-value`. If no group has any, it is `no-finish` as well.
- Exactly one of `scale` and `flat_cents` is given. Both is `bad-value` at `flat_cents`, neither `missing-field`
  at `scale`. A list without a place is `bad-scale`.
- Flat amounts are compared with the whole pool, no matter how many entries finish.
- `subsidy_cents` is in the answer if the case has `guarantee_cents`. It is 0 if the pool needs no help.
- The finishers are the entries of `finish`. A list shorter than the scale means that no more entries finished.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from tournament.cases import Fields, Problems, read_all, read_integer, read_text
from tournament.errors import BadCase, DomainError
from tournament.purse.payouts import Payout, pay_out, place_finish
from tournament.purse.percent import Percent
from tournament.purse.places import UNIT_CENTS, Division, FlatAmounts, Scale
from tournament.purse.pool import PRIZE_PERCENT, PrizePool, make_prize_pool, read_prize_percent
from tournament.said import worded

T = TypeVar("T")

read_amount = partial(read_integer, minimum=0)

BELOW_ZERO = re.compile(r"-[0-9]+(\.[0-9]+)?")


def answer_payout(case: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one case, without `ok`.

    >>> case = {"fees_cents": [300_00] * 4, "scale": ["70", "30"], "finish": [[7], [3]]}
    >>> answer_payout(case)["awards_cents"]
    {'7': 68900, '3': 29500}

    Raises:
        BadCase: with every problem of the case.
    """
    problems = Problems()
    fields = Fields(case, problems)
    pool = _read_pool(fields)
    division = _read_division(fields)
    finish = fields.read("finish", _read_finish)
    fields.finish(known=("scale", "flat_cents"))
    if pool is not None and isinstance(division, FlatAmounts):
        _take(partial(division.divide, pool.pool_cents), "flat_cents", problems)
    if problems or pool is None or division is None or finish is None:
        raise BadCase(problems.found)
    payout = pay_out(pool.pool_cents, division, place_finish(finish))
    return _as_json(pool, payout, with_subsidy="guarantee_cents" in case)


def _as_json(pool: PrizePool, payout: Payout, *, with_subsidy: bool) -> dict[str, Any]:
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


def _read_pool(fields: Fields) -> PrizePool | None:
    """Read the prize pool, or return None if any part of it is bad.

    It is read first, so that every problem so far belongs to the pool.
    """
    fees = fields.items("fees_cents", read_amount)
    percent = fields.read("prize_percent", partial(_read_percent, parse=read_prize_percent), Percent(PRIZE_PERCENT))
    discounts = fields.integer("discounts_cents", minimum=0, default=0)
    added = fields.integer("added_cents", minimum=0, default=0)
    guarantee = fields.integer("guarantee_cents", minimum=0, default=0)
    if fields.problems:
        return None
    return make_prize_pool(
        sum(fees), percent.text, discounts_cents=discounts, added_cents=added, guarantee_cents=guarantee
    )


def _read_division(fields: Fields) -> Division | None:
    unit = fields.integer("unit_cents", minimum=1, default=UNIT_CENTS)
    if "flat_cents" in fields:
        flat = fields.read("flat_cents", _read_flat_amounts)
        if "scale" not in fields:
            return flat
        fields.problems.bad(fields.at("flat_cents"), worded("Give “scale” or “flat_cents”, not both."))
    return fields.read("scale", partial(_read_scale, unit_cents=unit))


def _read_flat_amounts(value: object, path: str, problems: Problems) -> FlatAmounts | None:
    amounts = read_all(value, path, problems, each=read_amount)
    return None if amounts is None else _take(lambda: FlatAmounts(tuple(amounts)), path, problems)


def _read_scale(value: object, path: str, problems: Problems, *, unit_cents: int) -> Scale | None:
    percents = read_all(value, path, problems, each=_read_scale_percent)
    return None if percents is None else _take(lambda: Scale(tuple(percents), unit_cents), path, problems)


def _read_scale_percent(value: object, path: str, problems: Problems) -> Percent | None:
    if isinstance(value, str) and BELOW_ZERO.fullmatch(value):
        problems.add("bad-scale", path, worded("A percent of the scale is zero or more, written without a sign."))
        return None
    return _read_percent(value, path, problems, parse=Percent)


def _read_percent(value: object, path: str, problems: Problems, *, parse: Callable[[str], Percent]) -> Percent | None:
    text = read_text(value, path, problems)
    return None if text is None else _take(lambda: parse(text), path, problems)


def _read_finish(value: object, path: str, problems: Problems) -> list[list[int]] | None:
    seen: dict[int, str] = {}
    groups = read_all(value, path, problems, each=partial(_read_group, seen=seen))
    if isinstance(value, list) and all(group == [] for group in value):
        problems.add("no-finish", path, worded("No player has a final place, so there is nobody to pay."))
    return groups


def _read_group(value: object, path: str, problems: Problems, *, seen: dict[int, str]) -> list[int] | None:
    if value == []:
        problems.bad(path, worded("A place of the finish names at least one entry."))
        return None
    return read_all(value, path, problems, each=partial(_read_entry, seen=seen))


def _read_entry(value: object, path: str, problems: Problems, *, seen: dict[int, str]) -> int | None:
    number = read_integer(value, path, problems, minimum=1)
    if number is None or seen.setdefault(number, path) == path:
        return number
    problems.bad(path, worded("Entry %(number)s finished already, at %(seen)s.", number=number, seen=seen[number]))
    return None


def _take(act: Callable[[], T], path: str, problems: Problems) -> T | None:
    """Return the result of `act`. A `DomainError` becomes a problem at `path`, and the result is None."""
    try:
        return act()
    except DomainError as refusal:
        problems.add(refusal.code, path, refusal.message)
        return None
