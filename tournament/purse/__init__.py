"""Money: fees, the prize pool, places and payouts. All amounts are whole cents, and every sum is exact.

    fees ──fold_ledger──► collected ──make_pool──► pool ──divide_places──► places ──pay_out──► awards

This module names the public functions and classes. The modules below are private.
"""

from tournament.purse.cases import answer_ledger, answer_payout
from tournament.purse.fees import (
    Account,
    FeeLine,
    FeeTerms,
    LineKind,
    MethodTotal,
    account_from,
    add_accounts,
    fee_for,
    fold_ledger,
    leaves_prizes,
    total_by_method,
)
from tournament.purse.pool import DiscountsFrom, PrizePool, make_prize_pool, read_prize_percent
from tournament.purse.prizes import (
    CentsRange,
    Division,
    FlatAmounts,
    Payout,
    Placing,
    PrizeTable,
    Scale,
    TiedPlaces,
    TieWorth,
    award,
    divide_places,
    make_scale,
    make_table,
    pay_out,
    place_finish,
    preview_ties,
    prize_ranges,
    split_prize,
    tie_worth,
)

__all__ = [
    "Account",
    "CentsRange",
    "DiscountsFrom",
    "Division",
    "FeeLine",
    "FeeTerms",
    "FlatAmounts",
    "LineKind",
    "MethodTotal",
    "Payout",
    "Placing",
    "PrizePool",
    "PrizeTable",
    "Scale",
    "TieWorth",
    "TiedPlaces",
    "account_from",
    "add_accounts",
    "answer_ledger",
    "answer_payout",
    "award",
    "divide_places",
    "fee_for",
    "fold_ledger",
    "leaves_prizes",
    "make_prize_pool",
    "make_scale",
    "make_table",
    "pay_out",
    "place_finish",
    "preview_ties",
    "prize_ranges",
    "read_prize_percent",
    "split_prize",
    "tie_worth",
    "total_by_method",
]
