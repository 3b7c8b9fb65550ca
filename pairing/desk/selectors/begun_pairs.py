"""Load pairings that are to be undone, and the games of them that have begun."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pairing.knockout.pictures.match_boxes import match_name
from pairing.knockout.selectors import load_begun_of
from pairing.matches.selectors.records import load_names
from pairing.models import MatchSeat, Pairing
from tournament.models import Event


@dataclass(frozen=True)
class Together:
    """Pairings to undo in one act. `begun` maps their games that have begun to the two sides."""

    pairings: tuple[Pairing, ...]
    begun: Mapping[str, tuple[int, ...]]
    names: Mapping[int, str]

    @property
    def pairs(self) -> list[list[tuple[int, str]]]:
        return [self._named(pair) for pairing in self.pairings for pair in pairing.pairs]

    @property
    def written(self) -> list[tuple[str, list[tuple[int, str]]]]:
        return [(match_name(ident), self._named(sides)) for ident, sides in self.begun.items()]

    def _named(self, sides: Iterable[int]) -> list[tuple[int, str]]:
        return [(side, self.names.get(side, str(side))) for side in sides]


def load_together(event: Event, pairing: Pairing, *, whole: bool) -> Together:
    """Return this pairing, or with `whole` everything that was sent in the same act."""
    pairings = [pairing]
    if whole:
        same = Pairing.objects.filter(stage=pairing.stage_id, at=pairing.at, taken_back__isnull=True)
        pairings = list(same.order_by("pk"))
    return Together(tuple(pairings), load_begun_pairs(event, pairings), load_names(event))


def load_begun_pairs(event: Event, pairings: Iterable[Pairing]) -> dict[str, tuple[int, ...]]:
    """Return the games of these pairings whose cards have a line, with their two sides."""
    sides: dict[str, list[int]] = {}
    seats = MatchSeat.objects.filter(match__pairing__in=list(pairings)).order_by("match__position", "position")
    for ident, number in seats.values_list("match__ident", "entrant__number"):
        sides.setdefault(ident, []).append(number)
    begun = load_begun_of(event, {ident: frozenset(two) for ident, two in sides.items() if len(two) == 2})
    return {ident: tuple(two) for ident, two in sides.items() if ident in begun}
