"""Money: fees, the prize pool, places and payouts. All amounts are whole cents, and every sum is exact.

    fees ──fold_ledger──► collected ──make_pool──► pool ──divide_places──► places ──pay_out──► awards

This module names the public functions and classes. The modules below are private.
"""

from tournament.purse.case import answer_payout
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
from tournament.purse.ledger.case import answer_ledger
from tournament.purse.payouts import (
    CentsRange,
    Payout,
    Placing,
    TiedPlaces,
    TieWorth,
    award,
    pay_out,
    place_finish,
    preview_ties,
    prize_ranges,
    tie_worth,
)
from tournament.purse.places import Division, FlatAmounts, PrizeTable, Scale, divide_places, make_scale, make_table
from tournament.purse.pool import DiscountsFrom, PrizePool, make_prize_pool, read_prize_percent
from tournament.purse.shares import split_prize

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
