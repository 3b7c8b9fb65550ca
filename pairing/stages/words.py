"""The ways in which a match can end, worded for a director, with what each means for both sides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.progress import Progress
from pairing.draws.results import Cause, Credit, MatchOutcome, Result, end_match
from pairing.draws.stages.plan import StageKind

CREDITS = {
    (Result.WIN, Cause.PLAYED): gettext_lazy("win"),
    (Result.WIN, Cause.TIME): gettext_lazy("win, ahead when time was called"),
    (Result.WIN, Cause.WALK_OVER): gettext_lazy("win by walkover"),
    (Result.WIN, Cause.BYE): gettext_lazy("win by a bye"),
    (Result.LOSS, Cause.PLAYED): gettext_lazy("loss"),
    (Result.LOSS, Cause.TIME): gettext_lazy("loss, behind when time was called"),
    (Result.LOSS, Cause.FORFEIT): gettext_lazy("loss by forfeit"),
    (Result.LOSS, Cause.NO_SHOW): gettext_lazy("loss, no-show"),
    (Result.LOSS, Cause.BOTH_ABSENT): gettext_lazy("loss, no-show"),
    (Result.LOSS, Cause.WALK_OVER): gettext_lazy("loss, not played"),
    (Result.LOSS, Cause.PENALTY): gettext_lazy("loss by penalty"),
    (Result.LOSS, Cause.DISQUALIFIED): gettext_lazy("loss, disqualified"),
    (Result.NONE, Cause.PENALTY): gettext_lazy("no win"),
    (Result.NONE, Cause.VOID): gettext_lazy("no games yet"),
    (Result.NONE, Cause.BYE): gettext_lazy("no win and no loss, not yet in the event"),
}


def credit_words(credit: Credit) -> str:
    return str(CREDITS.get((credit.result, credit.cause), f"{credit.result.value}, {credit.cause.value}"))


def penalty_words(credits: Mapping[int, Credit], winner: int | None, names: Mapping[int, str]) -> str:
    """Return “Ada wins the match, by a penalty against Alan.”, or nothing if no side of two lost by a penalty."""
    lost = [number for number, each in credits.items() if (each.result, each.cause) == (Result.LOSS, Cause.PENALTY)]
    if not lost or len(credits) != 2:
        return ""
    called = [names.get(number, str(number)) for number in lost]
    who = names.get(winner, str(winner)) if winner is not None else _("Nobody")
    if len(called) == 1:
        return _("%(who)s wins the match, by a penalty against %(loser)s.") % {"who": who, "loser": called[0]}
    both = {"who": who, "one": called[0], "other": called[1]}
    return _("%(who)s wins the match, by penalties against %(one)s and %(other)s.") % both


ENDINGS_WITH_WINNER = (
    (Cause.PLAYED, gettext_lazy("It was played, and %(one)s won")),
    (Cause.TIME, gettext_lazy("Time was called, and %(one)s was ahead")),
    (Cause.NO_SHOW, gettext_lazy("%(other)s was a no-show")),
    (Cause.FORFEIT, gettext_lazy("%(other)s forfeited or left")),
    (Cause.WALK_OVER, gettext_lazy("It was not played, for another reason")),
    (Cause.PENALTY, gettext_lazy("%(other)s was penalized by a ruling")),
)
ENDINGS_WITHOUT_WINNER = (
    (Cause.BOTH_ABSENT, gettext_lazy("Both were no-shows")),
    (Cause.FORFEIT, gettext_lazy("Both forfeited or left")),
    (Cause.PENALTY, gettext_lazy("Both were penalized by a ruling")),
    (Cause.VOID, gettext_lazy("Void: it does not count")),
)


@dataclass(frozen=True, slots=True)
class Consequences:
    """The consequences of a result, in words: for the winner, the loser, both without a winner, a side without a win.

    `void` is a sentence for a match that does not count. `goes_on` is true if somebody has to advance, as in a bracket.
    """

    goes_on: bool
    ahead: str = ""
    behind: str = ""
    both: str = ""
    owed: str = ""
    void: str = ""


def follows_in_pool(kind: StageKind | None) -> Consequences:
    if kind is not None and kind.traits.all_meet:
        return Consequences(False)
    return Consequences(
        False, owed=_("plays another game"), void=_("The game does not count, and both play another one.")
    )


def follows_in_play_off() -> Consequences:
    return Consequences(True, _("stays in the play-off"), _("is out of the play-off"), _("is out of the play-off"))


def follows_in_bracket(progress: Progress, ident: str) -> Consequences:
    bracket = progress.bracket
    ahead = _("advances") if ident in bracket.next_of else _("wins the event")
    if bracket.is_double:
        if ident == bracket.final.id:
            return Consequences(True, both=_("is eliminated"))
        if ident in bracket.drop_of:
            return Consequences(True, ahead, _("moves to the losers’ side"), _("is eliminated"))
    return Consequences(True, ahead, _("is eliminated"), _("is eliminated"))


@dataclass(frozen=True, slots=True)
class Ending:
    """A way in which the match can end. `value` is the cause and, after a colon, the winner's entry number."""

    value: str
    label: str
    means: str


EndingGroup = tuple[str, Sequence[Ending]]
"""The title of a group of endings, and the endings."""


def ending_groups(ident: str, sides: Sequence[tuple[int, str]], follows: Consequences) -> list[EndingGroup]:
    """Return everything that the desk can decide about a match of these two, each with its consequences."""
    names = dict(sides)
    numbers = (sides[0][0], sides[1][0])
    title = _("%(name)s advances") if follows.goes_on else _("%(name)s is ahead, or not at fault")

    def ending(winner: int | None, cause: Cause, label: str) -> Ending:
        outcome = end_match(ident, numbers, winner, cause, goes_on=follows.goes_on)
        return Ending(f"{cause.value}:{winner or ''}", label, _describe_outcome(outcome, names, follows))

    groups: list[EndingGroup] = []
    for number, other in (numbers, numbers[::-1]):
        words = {"one": names[number], "other": names[other]}
        endings = [ending(number, cause, str(label) % words) for cause, label in ENDINGS_WITH_WINNER]
        groups.append((title % {"name": names[number]}, endings))
    both = [ending(None, cause, str(label)) for cause, label in ENDINGS_WITHOUT_WINNER]
    return [*groups, (_("The same for both"), both)]


def _describe_outcome(outcome: MatchOutcome, names: Mapping[int, str], follows: Consequences) -> str:
    """Put the credits and consequences into words.

    “Ann: loss by penalty, is out. Bob: no win, goes on.”
    """
    if outcome.is_void:
        return follows.void or _("The match does not count and is played again.")
    sentences = []
    for number, credit in outcome.credits.items():
        if not follows.goes_on:
            then = follows.owed if credit.result is Result.NONE else ""
        elif outcome.winner is None:
            then = follows.both
        else:
            then = follows.ahead if number == outcome.winner else follows.behind
        words = ", ".join(filter(None, (credit_words(credit), then)))
        sentences.append(f"{names[number]}: {words}.")
    return " ".join(sentences)
