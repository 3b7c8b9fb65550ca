"""Games lost by a penalty in a match of several games.

Nobody has won such a game, but the entrant who lost it cannot win it any more.
"""

from collections import Counter
from collections.abc import Collection

from pairing.models import Match
from scoring.card_state.selectors.cards import load_match_cards
from scoring.models import ConductPenalty
from scoring.posting.selectors.result_rows import match_lost_in
from scoring.posting.selectors.taken_back import load_taken_back
from scoring.rulesheets.selectors.lengths import load_card_lengths
from scoring.rulesheets.selectors.sheets import current_sheet, unsaved_sheet
from tournament.core.folded import folded_here


def load_lost_games(matches: Collection[Match]) -> dict[int, Counter[int]]:
    """Return how many games each entrant lost, for each match by primary key.

    Penalties from before the desk took back the result of the match no longer count.
    """
    lost: dict[int, Counter[int]] = {match.pk: Counter() for match in matches}
    rows = (row for event in {match.event_id for match in matches} for row in _game_losses(event))
    found = [(match, row) for row in rows if (match := match_lost_in(row)) in lost]
    taken_back = load_taken_back({match for match, _row in found if match is not None}) if found else {}
    for match, row in found:
        if match is not None and not (match in taken_back and row.at <= taken_back[match]):
            lost[match][row.entrant_id] += 1
    return lost


def _game_losses(event: int) -> tuple[ConductPenalty, ...]:
    """Load the penalties of an event, cached for pages that only read. A penalty concerns everybody."""
    rows = ConductPenalty.objects.filter(
        effect=ConductPenalty.Effect.GAME_LOSS, lifted__isnull=True, ruling__isnull=False, entrant__event=event
    ).select_related("entrant", "ruling")
    return folded_here(event, (), "game losses", lambda: tuple(rows))


def is_of_several(match: Match) -> bool:
    """Whether a player has to win more than one game to win the match."""
    cards = load_match_cards(match.pk)
    if cards:
        return cards[0].games_to_win > 1
    sheet = current_sheet(match.event) or unsaved_sheet(match.event)
    return int(load_card_lengths(match.event, sheet, [match])[match.pk].get("games_to_win", sheet.games_to_win)) > 1


def ahead(won: Counter[int], lost: Counter[int], both: tuple[int, int]) -> Counter[int]:
    """Return the games that each of two has, counting those that the other has lost by penalty.

    >>> ahead(Counter({4: 1}), Counter({4: 1}), (4, 9))
    Counter({4: 1, 9: 1})
    """
    one, other = both
    return Counter({one: won[one] + lost[other], other: won[other] + lost[one]})
