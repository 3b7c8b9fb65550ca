"""The points of a match that the desk decides: either the desk names them, or they follow the card."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _

from pairing.draws.results import BOTH_PLAYED, MatchOutcome, StatusKind
from pairing.models import Match
from pairing.ports import score_cards
from pairing.stages.selectors.records import outcome_of
from tournament.errors import DomainError, NeedsReason
from tournament.models import Event

MOST_POINTS: Final = 99_999


def typed_points(match: Match, outcome: MatchOutcome, typed: Mapping[int, int] | None) -> Mapping[int, int]:
    """Return the points by entry number, empty if the match was not played or nobody knows them.

    Raises:
        DomainError: `bad-points`; `points-needed` if the cards, signed or not, say that somebody else or nobody has
            won.
    """
    played = outcome.winner is not None and {credit.cause for credit in outcome.credits.values()} <= BOTH_PLAYED
    if not played:
        if typed:
            raise DomainError("bad-points", _("Only a match that was played has points. Leave them empty."))
        return {}
    if typed is not None:
        _refuse_bad_points(outcome, typed)
        return dict(typed)
    return _points_on_record(match, outcome)


def refuse_conflict_with_cards(event: Event, match: Match) -> None:
    """Refuse a decision against a signed card until its consequences have been previewed.

    Call it inside the write, after the result is recorded.

    Raises:
        NeedsReason: `against-card`.
    """
    cards = score_cards().load_card_summaries(event, [match.pk])
    found = [one for one in cards if one.kind is StatusKind.SUPERSEDED]
    if found:
        said = _("This goes against a signed score card: %(title)s. Look at the changes first.") % {
            "title": found[0].title
        }
        raise NeedsReason("against-card", said, warnings=[one.title for one in found])


def _points_on_record(match: Match, outcome: MatchOutcome) -> Mapping[int, int]:
    """Return the points of the cards if they agree, else those typed before for the same winner."""
    assert outcome.winner is not None
    cards = score_cards().load_points(match)
    if cards is not None:
        others = (points for number, points in cards.points.items() if number != outcome.winner)
        is_ahead = cards.winner is None and cards.points.get(outcome.winner, 0) > max(others, default=0)
        if cards.winner == outcome.winner or is_ahead:
            return cards.points
        if cards.winner:
            said = _("By the score card the other player has won. Enter both scores as they count now.")
        else:
            said = _("By the score card nobody has won yet. Enter both scores as they count now.")
        raise DomainError("points-needed", said)
    last = match.results.filter(superseded_by__isnull=True).select_related("winner", "match").last()
    if last is not None and last.score and outcome_of(last).winner == outcome.winner:
        return {int(number): points for number, points in last.score.items()}
    return {}


def _refuse_bad_points(outcome: MatchOutcome, typed: Mapping[int, int]) -> None:
    if set(typed) != set(outcome.credits):
        raise DomainError("bad-points", _("Enter the points of both players."))
    if any(abs(points) > MOST_POINTS for points in typed.values()):
        raise DomainError(
            "bad-points",
            _("A score is at most %(most_points)s points. Check it and enter it again.") % {"most_points": MOST_POINTS},
        )
    won = next(typed[number] for number in typed if number == outcome.winner)
    if any(points >= won for number, points in typed.items() if number != outcome.winner):
        raise DomainError("bad-points", _("The winner must have more points than the other player. Check both scores."))
