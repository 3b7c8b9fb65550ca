"""Money: fees, the prize pool, places and payouts. All amounts are whole cents, and every sum is exact.

    fees ──fold_ledger──► collected ──make_pool──► pool ──divide_places──► places ──pay_out──► awards

This module names the public functions and classes. The modules below are private.
"""

from tournament.purse.cases import answer_ledger, answer_payout
from tournament.purse.fees import (
    Account,
    FeeLine,
    FeeTerms,
    MethodTotal,
    account_from,
    fee_for,
    fold_ledger,
    keeps_prizes_unchanged,
    sum_accounts,
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
    TieShare,
    award,
    divide_places,
    make_scale,
    make_table,
    pay_out,
    place_finish,
    preview_ties,
    prize_ranges,
    share_of_tie,
    split_prize,
)

__all__ = [
    "Account",
    "CentsRange",
    "DiscountsFrom",
    "Division",
    "FeeLine",
    "FeeTerms",
    "FlatAmounts",
    "MethodTotal",
    "Payout",
    "Placing",
    "PrizePool",
    "PrizeTable",
    "Scale",
    "TieShare",
    "TiedPlaces",
    "account_from",
    "answer_ledger",
    "answer_payout",
    "award",
    "divide_places",
    "fee_for",
    "fold_ledger",
    "keeps_prizes_unchanged",
    "make_prize_pool",
    "make_scale",
    "make_table",
    "pay_out",
    "place_finish",
    "preview_ties",
    "prize_ranges",
    "read_prize_percent",
    "share_of_tie",
    "split_prize",
    "sum_accounts",
    "total_by_method",
]
