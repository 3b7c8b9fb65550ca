"""The lines of a card with their corrections folded in."""

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.models import SheetLine


@dataclass(frozen=True)
class Entered:
    """What is entered for one hand: the line that counts now, and the ones it superseded, the first first."""

    fact: SheetLine
    earlier: tuple[SheetLine, ...] = ()

    @property
    def is_struck(self) -> bool:
        return self.fact.line is None


def entered_of(facts: Iterable[SheetLine]) -> tuple[Entered, ...]:
    """One item a hand, in the order of first entry, with the corrections folded in."""
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
