"""Word everything that was recorded of a match, the same way on every match page."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from pairing.above import RulingStatement, score_cards
from pairing.draws.results import MatchOutcome
from pairing.knockout.pictures.match_boxes import why_without_play
from pairing.knockout.selectors import load_results
from pairing.matches.selectors.records import outcome_of
from pairing.matches.words import penalty_words
from pairing.models import Match, MatchResult
from tournament.core.selectors.events import EntryNames


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded result with its words.

    `winner` is the name of the winner at that time. `why` says why the match was not played.
    `by_penalty` says who has the match by a penalty. `ruling` is the ruling that wrote the result.
    """

    result: MatchResult
    winner: str
    why: str
    by_penalty: str
    ruling: RulingStatement | None


def recorded_of(match: Match, names: EntryNames) -> list[Recorded]:
    """Return all results of a match, newest first, with the names of the players at the time.

    The names are those at the first result of the same sides.
    """
    results = [(result, outcome_of(result)) for result in load_results(match)]
    first = {frozenset(outcome.credits): row.at for row, outcome in results}
    then = {row.pk: names.at(first[frozenset(outcome.credits)]) for row, outcome in results}
    said = {row.pk: penalty_words(outcome.credits, outcome.winner, then[row.pk]) for row, outcome in results}
    rulings = score_cards().load_rulings_of([key for key, words in said.items() if words])
    return [
        Recorded(row, then[row.pk].get(outcome.winner or 0, ""), _why(row, outcome), said[row.pk], rulings.get(row.pk))
        for row, outcome in results
    ]


def _why(row: MatchResult, outcome: MatchOutcome) -> str:
    """Say why there was no play.

    A void result without a reason does not come from the desk: corrected cards left the match without a winner.
    """
    if outcome.is_void and not row.reason and row.undoes_id is None:
        return _("The match is open again, because its score cards give no winner")
    return why_without_play(outcome)
