"""Each player's share of an entry's prize. Partners split it equally, or as they agreed."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tournament.errors import DomainError
from tournament.models import Event, Member, PaidOut
from tournament.money.selectors.withheld import withheld_of
from tournament.purse import split_prize
from tournament.purse.withholding import split_withheld


@dataclass(frozen=True, slots=True)
class PlayerShare:
    """One player's share of an amount that their entry gets, in cents.

    `prize_cents` is the whole amount. `withheld_cents` of the share are not handed over.
    """

    player: int
    name: str
    cents: int
    prize_cents: int
    withheld_cents: int = 0

    @property
    def handed_cents(self) -> int:
        return self.cents - self.withheld_cents


@dataclass(frozen=True, slots=True)
class Sharing:
    """The players of an entry by seat, as primary key and name.

    `percents` is their agreed split, empty for equal shares.
    """

    players: tuple[tuple[int, str], ...]
    percents: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Return whether the agreed split fits the current players. Equal shares always fit."""
        try:
            split_prize(0, max(1, len(self.players)), self.percents)
        except DomainError:
            return False
        return True

    def of(self, cents: int, withheld_cents: int = 0) -> tuple[PlayerShare, ...]:
        """Return the players' shares of an amount, and of what is withheld from it.

        The agreed split counts only while it fits the current players.
        """
        if not self.players:
            return ()
        parts = split_prize(cents, len(self.players), self.percents if self.fits else ())
        named = zip(self.players, parts, split_withheld(withheld_cents, parts), strict=True)
        return tuple(PlayerShare(player, name, part, cents, kept) for (player, name), part, kept in named)


NOBODY: Final = Sharing(())


def load_sharing(event: Event, numbers: list[int]) -> Mapping[int, Sharing]:
    """Return how each of these entries shares its prize, by entry number."""
    seats: dict[int, list[tuple[int, str]]] = defaultdict(list)
    percents: dict[int, tuple[str, ...]] = {}
    playing = Member.objects.filter(entrant__event=event, entrant__number__in=numbers, replaced_by=None)
    for member in playing.select_related("player", "entrant").order_by("entrant__number", "seat", "pk"):
        number = member.entrant.number
        seats[number].append((member.player_id, str(member.player)))
        percents[number] = tuple(member.entrant.prize_shares)
    return {number: Sharing(tuple(players), percents[number]) for number, players in seats.items()}


def shares_of(paid: PaidOut) -> tuple[PlayerShare, ...]:
    number = paid.entrant.number
    return load_sharing(paid.event, [number]).get(number, NOBODY).of(paid.cents, withheld_of(paid))
