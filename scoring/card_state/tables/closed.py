"""The wording for a game that was not played to its end: what happened, the rule, and the outcome."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.models import CardClosed
from scoring.rules.sheet.closing import Ending


@dataclass(frozen=True, slots=True)
class ClosedWords:
    """The sentences about a closed game.

    `what` says what happened, `rule` by which rule the game ends, and `why` gives the reason for the outcome. `outcome`
    says who has won, or what to do next.
    """

    what: str
    rule: str
    why: str
    outcome: str

    @property
    def line(self) -> str:
        """All the sentences on one line, for paper."""
        return " ".join(filter(None, (self.what, self.rule, self.why, self.outcome)))


def closed_words(state: CardState) -> ClosedWords | None:
    """Return the sentences, or None if the game is open or was played to its end."""
    if state.score.verdict is None or state.closing is None:
        return None
    says_it = state.score.verdict.ending is Ending.WAITING or state.closing.rule == CardClosed.Rule.GIVES_UP
    why = "" if says_it else state.score.verdict.why
    return ClosedWords(_what(state, state.closing), _rule(state, state.closing), why, _outcome(state))


def is_replayed(state: CardState) -> bool:
    return state.score.verdict is not None and state.score.verdict.ending is Ending.REPLAY


def _what(state: CardState, closing: CardClosed) -> str:
    left = closing.left
    return _("%(name)s left before the end.") % {"name": state.name_of(left)} if left else _("Time was called.")


def _rule(state: CardState, closing: CardClosed) -> str:
    if closing.rule == CardClosed.Rule.GIVES_UP:
        said = _("A player who leaves loses. Recorded by %(who)s: %(why)s.")
        return said % {"who": closing.by_name, "why": closing.reason.rstrip(".")}
    is_decision = closing.rule != state.card.sheet.unfinished or closing.winner is not None
    if is_decision and closing.reason:
        return _("Decided by %(who)s: %(why)s.") % {"who": closing.by_name, "why": closing.reason.rstrip(".")}
    if closing.rule == CardClosed.Rule.DIRECTOR:
        return ""
    rule = state.card.sheet.get_unfinished_display()
    return _("The rule of this event: %(rule)s.") % {"rule": rule[:1].lower() + rule[1:]}


def _outcome(state: CardState) -> str:
    assert state.score.verdict is not None
    if state.score.winner_name:
        return _("%(name)s wins. The score stays as it is.") % {"name": state.score.winner_name}
    if state.score.verdict.ending is Ending.REPLAY:
        return _("This score card does not count. There is a new one.")
    if state.score.verdict.ending is Ending.WAITING:
        return _("Enter the hand being played. No more hands are dealt.")
    return "" if state.score.verdict.ending is Ending.STANDS else _("No more hands are dealt.")
