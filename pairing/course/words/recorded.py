"""All that was recorded of a match, in words: the same on every page of matches."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from pairing.above import RulingStatement, score_cards
from pairing.draws.results.credits import MatchOutcome
from pairing.knockout.pictures.match_boxes import why_without_play
from pairing.knockout.selectors import load_results
from pairing.matches.selectors.records import outcome_of
from pairing.matches.words import penalty_words
from pairing.models import Match, MatchResult
from tournament.core.selectors.entry_names import EntryNames


@dataclass(frozen=True, slots=True)
class Recorded:
    """A result with why nobody played for it; `by_penalty` says who has the match; `ruling` is what wrote it.

    `winner` is the name of who won it then.
    """

    result: MatchResult
    winner: str
    why: str
    by_penalty: str
    ruling: RulingStatement | None


def recorded_of(match: Match, names: EntryNames) -> list[Recorded]:
    """The newest first, each with the names of who played when the first result of the same sides was recorded."""
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
    """Only the desk makes a match void, with a reason: corrected cards leave it open, and what was played stays."""
    if outcome.is_void and not row.reason and row.undoes_id is None:
        return _("The match is open again, because its score cards give no winner")
    return why_without_play(outcome)
