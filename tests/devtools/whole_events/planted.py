"""Faults planted in pages, and the watch that must see them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from django.core.cache import cache

from pairing.draws.knockout.progress import MatchView
from pairing.stages.selectors import boards
from pairing.stages.tables.stages import PlaceRow
from scoring.card_state.selectors.state import CardScore
from tests.devtools.whole_events.checks import compare_check
from tests.devtools.whole_events.compare_cards import Cards, compare_card_pages
from tests.devtools.whole_events.compare_drawers import compare_drawers
from tests.devtools.whole_events.compare_matches import compare_bracket, compare_results_desk
from tests.devtools.whole_events.compare_money import compare_accounts, compare_prizes
from tests.devtools.whole_events.compare_pools import compare_extras, compare_side_pools
from tests.devtools.whole_events.compare_standings import compare_standings
from tests.devtools.whole_events.facts import Facts, read_facts
from tests.devtools.whole_events.files import compare_files
from tests.devtools.whole_events.values import Disagreement
from tests.devtools.whole_events.words import Pages
from tournament.core.cached import clear_cache
from tournament.models import Event

Patch = pytest.MonkeyPatch


Plant = Callable[[Patch], None]


def look(event: Event, part: str) -> list[str]:
    """Compare one part of the pages, with an empty cache: a value cached before the fault would hide it."""
    cache.clear()
    clear_cache()
    facts = read_facts(event)
    return [str(one) for one in PARTS[part](facts, Pages(event))]


def look_at_cards(facts: Facts, pages: Pages) -> Iterator[Disagreement]:
    cards, wrong = Cards(facts, pages).read(list(facts.cards))
    yield from wrong
    for own in cards:
        yield from compare_card_pages(facts, pages, own, cards)


def look_at_files(facts: Facts, pages: Pages) -> Iterable[Disagreement]:
    return compare_files(facts, pages, Cards(facts, pages).read(list(facts.cards))[0])


PARTS: dict[str, Callable[[Facts, Pages], Iterable[Disagreement]]] = {
    "cards": look_at_cards,
    "files": look_at_files,
    "check": lambda facts, pages: compare_check(facts.tournament, pages.event.slug, [], len(facts.cards)),
    "accounts": lambda facts, pages: compare_accounts(facts, pages, facts.entrants),
    "bracket": compare_bracket,
    "standings": compare_standings,
    "prizes": compare_prizes,
    "results": compare_results_desk,
    "drawers": compare_drawers,
    "side pools": compare_side_pools,
    "extras": compare_extras,
}


def missed(event: Event, faults: dict[str, tuple[Plant, str, str]]) -> list[str]:
    """The faults of which nothing was found that says so."""
    honest = {part: look(event, part) for part in {part for _plant, part, _says in faults.values()}}
    assert honest == {part: [] for part in honest}
    not_found = []
    for name, (plant, part, says) in faults.items():
        with pytest.MonkeyPatch.context() as patch:
            plant(patch)
            told = look(event, part)
        if not any(re.search(says, one) for one in told):
            not_found.append(f"{name}: {told}")
    cache.clear()
    return not_found


def one_point_more(patch: Patch) -> None:
    honest = CardScore.totals.fget
    patch.setattr(CardScore, "totals", property(lambda own: (honest(own)[0] + 1, *honest(own)[1:])))


def other_in_the_bracket(patch: Patch) -> None:
    honest = MatchView.winner.fget
    patch.setattr(
        MatchView,
        "winner",
        property(lambda own: next((one for one in own.entries if one != honest(own)), None) if honest(own) else None),
    )


def no_scores(patch: Patch) -> None:
    honest = boards._load_written

    def without(event: Event) -> Any:
        return dataclasses.replace(honest(event), scores={})

    patch.setattr(boards, "_load_written", without)


def next_place(patch: Patch) -> None:
    honest = PlaceRow.shown_place.fget
    patch.setattr(PlaceRow, "shown_place", property(lambda own: honest(own).replace("1", "2")))
