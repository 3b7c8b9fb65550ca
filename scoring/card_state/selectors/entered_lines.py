"""The lines of a card, each with the corrections it has had."""

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.models import SheetLine


@dataclass(frozen=True)
class Entered:
    """The entry for one hand: the line that counts, and the lines that it superseded, oldest first."""

    fact: SheetLine
    earlier: tuple[SheetLine, ...] = ()

    @property
    def is_struck(self) -> bool:
        return self.fact.line is None


def entered_of(facts: Iterable[SheetLine]) -> tuple[Entered, ...]:
    """Return one entry for each hand, in the order of first entry."""
    by_pk = {fact.pk: fact for fact in facts}
    superseded = {fact.supersedes_id for fact in by_pk.values()}
    last = [fact for fact in by_pk.values() if fact.pk not in superseded]
    return tuple(Entered(fact, _before(fact, by_pk)) for fact in sorted(last, key=lambda f: f.number))


def _before(fact: SheetLine, by_pk: dict[int, SheetLine]) -> tuple[SheetLine, ...]:
    earlier: list[SheetLine] = []
    while fact.supersedes_id is not None:
        fact = by_pk[fact.supersedes_id]
        earlier.append(fact)
    return tuple(reversed(earlier))
