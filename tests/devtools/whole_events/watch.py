"""Compare an event's pages with its recorded facts after each action, and compare everything at its end."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.devtools.whole_events.checks import compare_check, rows_digests, tables_that_differ, unseen_changes
from tests.devtools.whole_events.compare_cards import compare_card_pages, read_cards
from tests.devtools.whole_events.compare_matches import (
    compare_bracket,
    compare_differences,
    compare_next_step,
    compare_pairings,
    compare_pool_matches,
    compare_results_desk,
    problems_expected,
)
from tests.devtools.whole_events.compare_money import (
    compare_accounts,
    compare_drawers,
    compare_extras,
    compare_pool_winners,
    compare_prizes,
    compare_side_pools,
    compare_winners_own_pages,
)
from tests.devtools.whole_events.compare_standings import compare_standings
from tests.devtools.whole_events.facts import CardRow, Facts, read_facts
from tests.devtools.whole_events.files import compare_files
from tests.devtools.whole_events.promises import Promises
from tests.devtools.whole_events.second_cards import CardReading
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import Pages
from tournament.models import Event


@dataclass
class Watch:
    """Compares an event with its recorded facts while it is played.

    `often` is the share of actions after which all pages are compared. These actions are chosen at random. `changes` is
    the share of columns that are changed in the database at the end. `place` says where the event is played, and is
    part of every disagreement.
    """

    event: Event
    often: float = 0.03
    changes: float = 0.0
    seed: int = 1
    check_refusals: bool = True
    place: str = ""
    found: list[tuple[str, Disagreement]] = field(default_factory=list)
    acts: int = 0

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.pages = Pages(self.event)
        self.before: Facts = read_facts(self.event)
        self.promises = Promises()
        self.rows = rows_digests() if self.check_refusals else {}

    def after(self, act: str, *, refused: bool = False) -> None:
        """Compare the pages that an action changed. A rejected action must not change anything."""
        self.acts += 1
        label = f"act {self.acts}, {act}"
        if self.check_refusals:
            rows = rows_digests()
            changed = tables_that_differ(self.rows, rows)
            if refused and changed:
                self._say(label, [Disagreement("refused act", ", ".join(changed), "rows as before", "other rows", act)])
            self.rows = rows
        if refused:
            return
        facts = read_facts(self.event)
        if self.dice.random() < self.often:
            self.run(label, lambda: self._everything(facts, most_cards=4))
        else:
            self.run(label, lambda: self._touched(facts))
        self.run(label, lambda: self.promises.note(label, self.before, facts, self.pages))
        self.before = facts

    def compare_everything(self, label: str, *, most_cards: int | None = None) -> None:
        """Compare the whole event and its files with the recorded facts.

        This also records the current state of all rows anew, because the rows of other tournaments may have changed.
        The next rejected action must not change this state.

        If `most_cards` is given, compare at most this number of cards, chosen at random.
        """
        facts = read_facts(self.event)
        self.run(label, lambda: self._everything(facts, most_cards=most_cards))
        self.run(label, lambda: self._at_end(facts, most_cards=most_cards))
        self.before = facts
        self.rows = rows_digests() if self.check_refusals else {}

    def run(self, label: str, compare: Callable[[], Found | None]) -> None:
        """Make a comparison, and add its disagreements. An error in the comparison is a disagreement, too."""
        try:
            self._say(label, compare() or ())
        except Exception as error:  # The comparison itself stumbled: that is said with its place, and play goes on.
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {error} ({last.filename.rpartition('/')[2]}:{last.lineno})"
            self._say(label, [Disagreement("comparison", "the comparison itself", "no error", said)])

    def _say(self, label: str, found: Found) -> None:
        label = f"{self.place}, {label}" if self.place else label
        known = {str(one) for _label, one in self.found}
        for one in found:
            if str(one) not in known:
                known.add(str(one))
                self.found.append((label, one))

    def _touched(self, facts: Facts) -> Iterator[Disagreement]:
        """Compare the changed cards, matches, and accounts."""
        cards, wrong = read_cards(facts, self.pages, _changed_cards(self.before, facts))
        yield from wrong
        all_cards = self._with_cards_of_same_matches(facts, cards)
        for own in cards:
            yield from compare_card_pages(facts, self.pages, own, all_cards, thorough=False)
        yield from compare_differences(facts, self.pages, cards)
        changed = [one for one in facts.matches.values() if one != self.before.matches.get(one.pk)]
        if changed:
            yield from compare_bracket(facts, self.pages, thorough=False)
            yield from compare_pairings(facts, self.pages)
            yield from compare_next_step(facts, self.pages)
            yield from compare_pool_matches(facts, self.pages, changed)
            yield from compare_standings(facts, self.pages)
        if facts.side_pools != self.before.side_pools or len(facts.ledger) != len(self.before.ledger):
            yield from compare_side_pools(facts, self.pages)
            yield from compare_extras(facts, self.pages)
        money, before = ((len(one.ledger), one.received, one.spent) for one in (facts, self.before))
        if money != before:
            yield from compare_prizes(facts, self.pages)
            yield from compare_accounts(facts, self.pages, _changed_accounts(self.before, facts))
            yield from compare_drawers(facts, self.pages)

    def _everything(self, facts: Facts, *, most_cards: int | None = None) -> Iterator[Disagreement]:
        """Compare everything, but at most this number of cards, chosen at random."""
        cards, wrong = read_cards(facts, self.pages, facts.cards)
        yield from wrong
        for own in self._choose_cards(cards, most_cards):
            yield from compare_card_pages(facts, self.pages, own, cards)
        yield from compare_differences(facts, self.pages, cards)
        yield from compare_bracket(facts, self.pages)
        yield from compare_pairings(facts, self.pages)
        yield from compare_next_step(facts, self.pages)
        yield from compare_pool_matches(facts, self.pages, list(facts.matches.values()))
        yield from compare_results_desk(facts, self.pages)
        yield from compare_standings(facts, self.pages)
        yield from compare_prizes(facts, self.pages)
        yield from compare_side_pools(facts, self.pages)
        yield from compare_extras(facts, self.pages)
        yield from compare_accounts(facts, self.pages, facts.entrants)
        yield from compare_drawers(facts, self.pages)
        differing = problems_expected(facts, cards)
        yield from compare_check(facts.tournament, facts.event.slug, differing, len(facts.cards))

    def _choose_cards(self, cards: list[CardReading], most: int | None) -> list[CardReading]:
        return cards if most is None else self.dice.sample(cards, min(most, len(cards)))

    def _at_end(self, facts: Facts, *, most_cards: int | None) -> Iterator[Disagreement]:
        cards, _wrong = read_cards(facts, self.pages, facts.cards)
        yield from compare_winners_own_pages(facts, self.pages)
        yield from compare_pool_winners(facts, self.pages)
        yield from compare_files(facts, self.pages, cards, self._choose_cards(cards, most_cards))
        yield from self.promises.broken(facts)
        yield from unseen_changes(self.event, self.dice, self.changes)

    def _with_cards_of_same_matches(self, facts: Facts, cards: list[CardReading]) -> list[CardReading]:
        have = {own.card.pk for own in cards}
        matches = {own.card.match for own in cards}
        others = [card for card in facts.cards if card.match in matches and card.pk not in have]
        return [*cards, *read_cards(facts, self.pages, others)[0]]


def _changed_cards(before: Facts, after: Facts) -> list[CardRow]:
    """Return the cards whose facts or results changed."""
    known = {card.pk: card for card in before.cards}
    matches = {pk for pk, match in after.matches.items() if before.matches.get(pk) != match}
    return [card for card in after.cards if known.get(card.pk) != card or card.match in matches]


def _changed_accounts(before: Facts, after: Facts) -> list[int]:
    lines = after.ledger[len(before.ledger) :]
    return sorted({after.owner(line["entrant_id"]) for line in lines})
