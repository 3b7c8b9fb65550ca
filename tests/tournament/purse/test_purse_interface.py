"""The purse's public names, and the examples in its docstrings."""

import doctest
import importlib
import pkgutil

import pytest

import tournament.purse

MODULES = sorted(module.name for module in pkgutil.walk_packages(tournament.purse.__path__, "tournament.purse."))
VERBS = {
    "account_from", "sum_accounts", "answer_ledger", "answer_payout", "award", "divide_places", "fee_for",
    "fold_ledger", "keeps_prizes_unchanged", "make_prize_pool", "make_scale", "make_table", "pay_out", "place_finish",
    "preview_ties", "prize_ranges", "read_prize_percent", "split_prize", "share_of_tie", "total_by_method",
}  # fmt: skip
VALUES = {
    "Account", "CentsRange", "DiscountsFrom", "Division", "FeeLine", "FeeTerms", "FlatAmounts",
    "MethodTotal", "Payout", "Placing", "PrizePool", "PrizeTable", "Scale", "TieShare", "TiedPlaces",
}  # fmt: skip


def test_what_the_purse_offers() -> None:
    assert set(tournament.purse.__all__) == VERBS | VALUES
    assert all(hasattr(tournament.purse, name) for name in tournament.purse.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_come_out_as_they_say(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS).failed == 0


def test_every_main_verb_has_an_example() -> None:
    main_verbs = {"make_prize_pool", "divide_places", "pay_out", "award", "place_finish", "answer_payout"}
    main_verbs |= {"fee_for", "fold_ledger", "total_by_method"}
    assert all(">>>" in (getattr(tournament.purse, verb).__doc__ or "") for verb in main_verbs)
