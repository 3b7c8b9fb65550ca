"""The wording of disputes for players: kinds in plain words, facts as questions and answers, and states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.rules.hand.cards import as_symbol
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.matter import FactAsked, FactKind

PLAIN_TEXTS: Final[Mapping[str, tuple[str | Promise, str | Promise]]] = {
    "scoring": (_("Dispute about the score"), _("You do not agree on how a round is counted.")),
    "arithmetic": (_("Error in the score"), _("A hand was written down or added up wrong.")),
    "discard-before-draw": (_("Discarded before drawing"), _("A player discarded before drawing a card.")),
    "play-error": (_("Error in the play"), _("A player drew, melded or discarded wrong.")),
    "wrong-deal": (_("Problem with the deal"), _("A card was exposed, or it was a misdeal.")),
    "applied-differently": (_("A rule applied differently"), _("The rule was applied another way before.")),
    "improper-knock": (_("Improper knock"), _("A player knocked with more than the knock card allows.")),
    "up-card": (_("Which was the up card?"), _("You do not agree on which card was turned up.")),
    "wrong-count": (_("Wrong number of cards"), _("A player has more or fewer than ten cards.")),
    "false-gin": (_("Gin announced without gin"), _("A player announced gin, but not all their cards match.")),
    "drew-two": (_("Two cards drawn"), _("A player took two cards from the deck at once.")),
    "up-card-out-of-turn": (_("Knock card taken out of turn"), _("The dealer took the knock card before their turn.")),
    "wrong-card-down": (_("Wrong card put down"), _("A player knocked or went gin and turned down the wrong card.")),
    "touched-pile": (_("A pile was touched"), _("A player touched a pile by mistake.")),
    "retake-discard": (_("A discard retaken"), _("A player wants to retake a card they discarded.")),
    "count-after-agreement": (_("A count already agreed"), _("A player questions a recorded hand.")),
    "false-report": (_("A match that was not played"), _("A player reported a match that was never played.")),
    "unmatched-play": (_("Played without being paired"), _("Two players met who were not paired by the staff.")),
    "gave-game-away": (_("A game given away"), _("A player lost on purpose.")),
    "conduct": (_("Conduct"), _("A player behaved badly.")),
}
"""The title of each kind and a sentence that explains it. A kind that is missing here uses its own title."""


def irregularity_buttons(kinds: Mapping[str, Irregularity]) -> list[dict[str, str]]:
    """Return the buttons for these kinds in the order of `PLAIN_TEXTS`. The last one, for another matter, has no name.

    Kinds that belong to a single rule set come first. The others are sorted by how often they happen.
    """
    order = list(PLAIN_TEXTS)
    ranked = sorted(kinds.values(), key=lambda kind: order.index(kind.name) if kind.name in order else len(order))
    named = [{"name": kind.name, "title": plain_title(kind), "hint": hint_of(kind)} for kind in ranked]
    other = {"name": "", "title": gettext("Something else"), "hint": gettext("Describe it in your own words.")}
    return [*named, other]


def plain_title(kind: Irregularity | None) -> str:
    if kind is None:
        return gettext("Something else")
    return str(PLAIN_TEXTS[kind.name][0]) if kind.name in PLAIN_TEXTS else kind.title


def hint_of(kind: Irregularity | None) -> str:
    """Return the sentence that explains a kind, or nothing if there is none."""
    return str(PLAIN_TEXTS[kind.name][1]) if kind is not None and kind.name in PLAIN_TEXTS else ""


def facts_in_words(
    asked: Sequence[FactAsked], facts: Mapping[str, Any], names: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return each answered question with its answer. Lines of a sheet are left out.

    `names` are the names of the sides by letter.
    """
    answered = [(fact.question, _answer_text(fact, facts.get(fact.name), names)) for fact in asked]
    return [(question, answer) for question, answer in answered if answer]


def _answer_text(fact: FactAsked, value: Any, names: Mapping[str, str]) -> str:
    if value in (None, "", {}, []) or fact.kind is FactKind.LINE:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{names.get(side, side)}: {_value_text(fact, held, names)}" for side, held in value.items())
    return _value_text(fact, value, names)


def _value_text(fact: FactAsked, value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, (list, tuple)):
        return " ".join(_value_text(fact, each, names) for each in value)
    if fact.kind is FactKind.CODE:
        return dict(fact.codes).get(str(value), as_symbol(str(value)))
    return names.get(str(value), as_symbol(str(value)))


@dataclass(frozen=True, slots=True)
class ShownDispute:
    """A dispute as a player of its card sees it."""

    pk: int
    title: str
    hand: int | None
    caller: str
    at: datetime
    standing: str
    """The state: waiting, dropped, ruled, appealed (the committee decides), upheld, or changed."""
    is_own: bool
    decided: str = ""
    words: str = ""
    rule: str = ""
    by: str = ""
    number: int | None = None
    appeal_until: datetime | None = None
    can_appeal: bool = False

    @property
    def of_appeal(self) -> str:
        """The state of the appeal as a sentence, or nothing if there is no appeal."""
        sentences = {
            "appealed": gettext("Appealed. The committee decides."),
            "upheld": gettext("Appealed. The committee upheld it."),
            "changed": gettext("This is the committee’s ruling on appeal."),
        }
        return sentences.get(self.standing, "")
