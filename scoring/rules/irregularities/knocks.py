"""Improper knocks, and gin announced by a player who does not have it (GRA 2012, singles 9)."""

from dataclasses import dataclass
from typing import Final

from scoring.rules.hand.cards import DECK, PlayingCard
from scoring.rules.hand.hands import FinishedHand, Outcome, PointsOnlyHand, judge_hand
from scoring.rules.irregularities.matter import (
    MOST_COUNT,
    WITH_DRAW_PILE,
    WITH_KNOCK,
    YES_OR_NO,
    Decision,
    FactAsked,
    FactKind,
    Irregularity,
    Matter,
    OpenChoice,
    Recommendation,
    Scored,
    capitalize_article,
    certain_result,
    possible_values,
)
from tournament.lazy_text import lazy_plural, lazy_text

ACCEPT: Final = "accept"
DECLINE: Final = "decline"


@dataclass(frozen=True, slots=True)
class Knock:
    """The known facts of a knock. Counts are after lay-offs."""

    by: str | None
    up: PlayingCard | None
    count: int | None
    other_count: int | None
    accepts: bool | None

    @classmethod
    def from_matter(cls, matter: Matter) -> "Knock":
        facts = matter.facts
        return cls(
            by=facts.side("by"),
            up=facts.card("up"),
            count=facts.number("count"),
            other_count=facts.number("opponent_count"),
            accepts=matter.yes_or_no("opponent_accepts", yes=ACCEPT),
        )


def _decide_improper_knock(matter: Matter) -> Recommendation:
    knock = Knock.from_matter(matter)
    limits = _possible_limits(matter, knock.up)
    accepts = possible_values(knock.accepts, YES_OR_NO)
    ruling = certain_result(
        _rule_on_knock, limits, _possible_counts(knock.count), _possible_counts(knock.other_count), accepts
    )
    if ruling is Decision.PROPER:
        return _rule_proper(matter, knock)
    if ruling is Decision.PLAY_OPEN:
        return matter.give_ruling(
            ruling, *_explain_improper(matter, knock, limits), *_say_how_hand_is_played(matter, knock, limits)
        )
    if ruling is Decision.ACCEPTED_AS_UNDERCUT and (knock.up is not None or not matter.terms.spades_double):
        return _score_accepted(matter, knock)
    return _leave_open(matter, knock, limits)


def _rule_on_knock(limit: int, count: int, other_count: int, accepts: bool) -> Decision:
    """Decide a knock whose facts are all known (CONTRACTS.md, adjudicate, improper-knock)."""
    if count <= limit:
        return Decision.PROPER
    if accepts and other_count <= limit:
        return Decision.ACCEPTED_AS_UNDERCUT
    return Decision.PLAY_OPEN


def _possible_limits(matter: Matter, up: PlayingCard | None) -> list[int]:
    """Return the possible knock limits: one, or several if the up card that sets it is unknown."""
    value = matter.knock_value(up)
    if value is not None:
        return [value]
    return sorted({limit for card in DECK.values() if (limit := matter.knock_value(card)) is not None})


def _possible_counts(count: int | None) -> tuple[int, ...]:
    """Return the possible counts. An unknown count can be under every knock limit or over it."""
    return (0, MOST_COUNT) if count is None else (count,)


def _score_accepted(matter: Matter, knock: Knock) -> Recommendation:
    if knock.by is None or knock.count is None or knock.other_count is None:
        return matter.open_recommendation(
            lazy_text("The opponent accepts the knock, and it counts as an undercut."), missing_facts=["by"]
        )
    against = matter.opponent(knock.by)
    hand = FinishedHand(
        outcome=Outcome.KNOCK, by=knock.by, against=against,
        own_count=knock.count, other_count=knock.other_count, up=knock.up,
    )  # fmt: skip
    verdict = judge_hand(hand, matter.terms, matter.rule_sheet.variant.rulebook)
    difference, bonus = knock.count - knock.other_count, matter.terms.undercut_bonus
    who = {"by": matter.opponent_text(knock.by), "count": knock.other_count}
    sums = {"difference": difference, "bonus": bonus, "points": verdict.points}
    if matter.terms.doubles(knock.up):
        credit = lazy_text(
            "%(by)s has %(count)s, accepts it as proper, and gets credit for the undercut, the difference of "
            "%(difference)s and the bonus of %(bonus)s, doubled under a spade: %(points)s points.",
            **who,
            **sums,
        )
    else:
        credit = lazy_text(
            "%(by)s has %(count)s, accepts it as proper, and gets credit for the undercut, the difference of "
            "%(difference)s and the bonus of %(bonus)s: %(points)s points.",
            **who,
            **sums,
        )
    return matter.give_ruling(
        Decision.ACCEPTED_AS_UNDERCUT,
        lazy_text("%(matter)s is improper.", matter=_describe_knock_of(matter, knock)),
        credit,
        scored=matter.score(PointsOnlyHand(to=against, points=verdict.points, up=knock.up)),
    )


def _rule_proper(matter: Matter, knock: Knock) -> Recommendation:
    scored = _score_proper(matter, knock)
    if scored is None:
        return matter.give_ruling(
            Decision.PROPER,
            lazy_text("%(matter)s is proper, and the hand is counted.", matter=_describe_knock_of(matter, knock)),
        )
    described = _describe_knock_of(matter, knock)
    if matter.terms.is_for_gin(knock.up):
        proper = lazy_text("%(matter)s is proper: all the cards are matched, which is gin.", matter=described)
    else:
        proper = lazy_text("%(matter)s is proper.", matter=described)
    counts = lazy_text("The hand counts: %(what)s.", what=matter.points_text(scored))
    return matter.give_ruling(Decision.PROPER, proper, counts, scored=scored)


def _score_proper(matter: Matter, knock: Knock) -> Scored | None:
    """Return the hand as it counts, or None if a fact that it needs is unknown."""
    by, own, other = knock.by, knock.count, knock.other_count
    if by is None or own is None or other is None or (knock.up is None and matter.terms.needs_up_card):
        return None
    outcome = Outcome.GIN if matter.terms.is_for_gin(knock.up) else Outcome.KNOCK
    against = matter.opponent(by)
    hand = FinishedHand(outcome=outcome, by=by, against=against, own_count=own, other_count=other, up=knock.up)
    return matter.score(hand)


def _explain_improper(matter: Matter, knock: Knock, limits: list[int]) -> list[str]:
    other = matter.opponent_text(knock.by)
    sentences = [lazy_text("%(matter)s is improper.", matter=_describe_knock_of(matter, knock))]
    if knock.other_count is not None and knock.other_count > max(limits):
        sentences.append(
            lazy_text("%(other)s has %(other_count)s and cannot accept it.", other=other, other_count=knock.other_count)
        )
    elif knock.accepts is False:
        sentences.append(lazy_text("%(other)s does not accept it.", other=other))
    return sentences


def _say_how_hand_is_played(matter: Matter, knock: Knock, limits: list[int]) -> list[str]:
    if len(limits) > 1:
        must = lazy_text(
            "They must knock when their count is at the knock card or below; the opponent cannot force them to knock."
        )
    elif limits == [0]:
        must = lazy_text("They must knock when all their cards are matched; the opponent cannot force them to knock.")
    else:
        must = lazy_text(
            "They must knock when their count is %(limit)s or below; the opponent cannot force them to knock.",
            limit=limits[0],
        )
    return [
        lazy_text("%(by)s plays the hand open, all ten cards face up.", by=matter.side_text(knock.by)),
        must,
    ]


def _leave_open(matter: Matter, knock: Knock, limits: list[int]) -> Recommendation:
    """Leave the ruling open. The opponent's choice is offered only once the knock is certainly improper."""
    improper = knock.count is not None and knock.count > max(limits)
    if improper and knock.accepts is None:
        return matter.open_recommendation(
            lazy_text("%(matter)s is improper.", matter=_describe_knock_of(matter, knock)),
            choices=_offer_choices(matter, knock),
        )
    needs_up = len(limits) > 1 or (improper and matter.terms.spades_double)
    known = {
        "up": knock.up is not None or not needs_up,
        "count": knock.count is not None,
        "opponent_count": knock.other_count is not None or not improper,
    }
    return matter.open_recommendation(missing_facts=[name for name, is_known in known.items() if not is_known])


def _offer_choices(matter: Matter, knock: Knock) -> list[OpenChoice]:
    chooser, name = matter.opponent_of(knock.by), matter.opponent_text(knock.by)
    value = matter.knock_value(knock.up)
    if value is None:
        accept = lazy_text(
            "%(told)s may accept the knock with a count at the knock card or lower, after lay-offs: it is then scored "
            "as an undercut.",
            told=name,
        )
    else:
        accept = lazy_text(
            "%(told)s may accept the knock with a count of %(value)s or lower, after lay-offs: it is then scored as "
            "an undercut.",
            told=name,
            value=value,
        )
    decline = lazy_text("%(told)s may decline, without telling their count: the hand is then played open.", told=name)
    return [
        OpenChoice(ACCEPT, chooser, capitalize_article(accept)),
        OpenChoice(DECLINE, chooser, capitalize_article(decline)),
    ]


def _describe_knock_of(matter: Matter, knock: Knock) -> str:
    """Describe the knock, such as “The knock of Ann with 10 under 8♥”."""
    by = None if knock.by is None else matter.side_text(knock.by)
    return _describe_knock(by, knock.count, None if knock.up is None else knock.up.symbol)


def _describe_knock(by: str | None, count: int | None, up: str | None) -> str:
    """Describe a knock by its known facts, to begin a sentence.

    >>> print(_describe_knock("Ann", 10, None))
    The knock of Ann with 10
    """
    known = {"by": by, "count": count, "up": up}
    forms = {
        (False, False, False): lazy_text("The knock"),
        (True, False, False): lazy_text("The knock of %(by)s", **known),
        (False, True, False): lazy_text("The knock with %(count)s", **known),
        (False, False, True): lazy_text("The knock under %(up)s", **known),
        (True, True, False): lazy_text("The knock of %(by)s with %(count)s", **known),
        (True, False, True): lazy_text("The knock of %(by)s under %(up)s", **known),
        (False, True, True): lazy_text("The knock with %(count)s under %(up)s", **known),
        (True, True, True): lazy_text("The knock of %(by)s with %(count)s under %(up)s", **known),
    }
    return forms[by is not None, count is not None, up is not None]


IMPROPER_KNOCK: Final = Irregularity(
    games=WITH_KNOCK,
    name="improper-knock",
    title=lazy_text("Improper knock"),
    rule=9,
    partnership_adds=lazy_text("A partner can help with lay-offs: partnership rule 13."),
    decide=_decide_improper_knock,
    rulings=(Decision.PROPER, Decision.ACCEPTED_AS_UNDERCUT, Decision.PLAY_OPEN),
    facts=(
        FactAsked("by", lazy_text("Who knocked?"), FactKind.SIDE),
        FactAsked("up", lazy_text("What is the up card?"), FactKind.CARD),
        FactAsked("count", lazy_text("What is the knocker's count?"), FactKind.NUMBER),
        FactAsked("opponent_count", lazy_text("What is the opponent's count, after lay-offs?"), FactKind.NUMBER),
        FactAsked("opponent_accepts", lazy_text("Does the opponent accept the knock?"), FactKind.YES_NO),
        FactAsked(
            "chosen",
            lazy_text("What does the opponent choose?"),
            FactKind.CODE,
            codes=((ACCEPT, lazy_text("accept the knock")), (DECLINE, lazy_text("have the hand played open"))),
        ),
    ),
)


# --- False gin -------------------------------------------------------------------------------------------------------


def _decide_false_gin(matter: Matter) -> Recommendation:
    by, count = matter.facts.side("by"), matter.facts.number("count")
    who = matter.side_text(by)
    if count is None:
        return matter.open_recommendation(lazy_text("%(who)s announced gin.", who=who), missing_facts=["count"])
    if count == 0:
        return matter.give_ruling(
            Decision.PROPER, lazy_text("%(who)s announced gin, and all the cards are matched: it is gin.", who=who)
        )
    return matter.give_ruling(
        Decision.PLAY_OPEN,
        lazy_plural(
            "%(who)s announced gin with %(number)s point unmatched: it is not gin, under any up card.",
            "%(who)s announced gin with %(number)s points unmatched: it is not gin, under any up card.",
            count,
            who=who,
        ),
        lazy_text("%(by)s cannot accept it.", by=matter.opponent_text(by)),
        lazy_text("%(who)s plays the hand open, all ten cards face up.", who=who),
    )


FALSE_GIN: Final = Irregularity(
    name="false-gin",
    title=lazy_text("Gin announced without gin"),
    rule=9,
    games=WITH_DRAW_PILE,
    decide=_decide_false_gin,
    rulings=(Decision.PROPER, Decision.PLAY_OPEN),
    facts=(
        FactAsked("by", lazy_text("Who announced gin?"), FactKind.SIDE),
        FactAsked("count", lazy_text("What is the count of the unmatched cards?"), FactKind.NUMBER),
    ),
)
