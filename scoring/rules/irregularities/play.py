"""Rule on mistakes during play and on offenses (GRA 2012, singles 5, 10, 11, 13, 14, 16 and 17, preamble)."""

from collections.abc import Callable
from typing import Final

from scoring.rules.irregularities.case import (
    CHOSEN_BY_DIRECTOR,
    GAMES_WITH_DRAW_PILE,
    GAMES_WITH_GIN,
    YES_OR_NO,
    FactKind,
    FactQuestion,
    Irregularity,
    IrregularityCase,
    RulingChoice,
    RulingDecision,
    RulingRecommendation,
    capitalize_leading_article,
    find_unambiguous_result,
    list_possible_values,
)
from tournament.lazy_text import join_with_and, lazy_plural, lazy_text

_DREW_TWO_CHOICES: Final = (
    (str(RulingDecision.THROW_IN), lazy_text("throw the hands in")),
    (str(RulingDecision.CONTINUE), lazy_text("continue play")),
)
_WHO_DID_IT: Final = FactQuestion("by", lazy_text("Who did it?"), FactKind.SIDE)


def _decide_drew_two(case: IrregularityCase) -> RulingRecommendation:
    by, near = case.facts.get_side("by"), case.facts.get_answer("nine_spread_or_gin")
    known = list_possible_values(near, YES_OR_NO)
    ruling = find_unambiguous_result(
        _rule_on_two_drawn_cards,
        known,
        list_possible_values(case.facts.get_code("chosen"), [code for code, _ in _DREW_TWO_CHOICES]),
    )
    lost = lazy_text(
        "%(by)s drew two cards: the use of the extra card he has seen is lost, and he cannot knock or gin.",
        by=case.name_side(by),
    )
    if ruling is RulingDecision.THROW_IN:
        return case.make_ruling(
            ruling, lost, lazy_text("%(by)s asks to throw the hands in: nobody scores.", by=case.name_opponent(by))
        )
    if ruling is not None:
        return case.make_ruling(ruling, lost, *_explain_how_play_resumes(case, by))
    if near:
        was_told = lazy_text(
            "%(by)s is told that %(by_2)s has nine cards spread or is on gin.",
            by=case.name_opponent(by),
            by_2=case.name_side(by),
        )
        return case.make_open_recommendation(lost, was_told, choices=_offer_choices(case, by))
    return case.make_open_recommendation(lost, missing_facts=["nine_spread_or_gin"])


def _rule_on_two_drawn_cards(near: bool, choice: str) -> RulingDecision:
    """Decide on a player who drew two cards.

    `near` is True if that player is close to gin (“nine cards spread or on gin”). Only then does the opponent have a
    choice.
    """
    return RulingDecision(choice) if near else RulingDecision.CONTINUE


def _explain_how_play_resumes(case: IrregularityCase, by: str | None) -> list[str]:
    other, offender = case.name_opponent(by), case.name_side(by)
    return [
        lazy_text(
            "Play continues. The exposed card is put on the side until %(offender)s has discarded.", offender=offender
        ),
        lazy_text(
            "%(other)s can take that discard or draw; when %(other_2)s discards, %(offender)s cannot "
            "pick it up and must put the exposed card on the discard pile. Then play resumes.",
            other=other,
            other_2=other,
            offender=offender,
        ),
    ]


def _offer_choices(case: IrregularityCase, by: str | None) -> list[RulingChoice]:
    chooser, name = case.find_opponent_or_placeholder(by), case.name_opponent(by)
    return [
        RulingChoice(
            str(RulingDecision.THROW_IN),
            chooser,
            capitalize_leading_article(lazy_text("%(told)s may ask to throw the hands in.", told=name)),
        ),
        RulingChoice(
            str(RulingDecision.CONTINUE),
            chooser,
            capitalize_leading_article(lazy_text("%(told)s may ask to continue play.", told=name)),
        ),
    ]


def _decide_wrong_card(case: IrregularityCase) -> RulingRecommendation:
    who = case.name_side(case.facts.get_side("by"))
    text = lazy_text("%(who)s turned the wrong card face down: they can retrieve it and rearrange the hand.", who=who)
    return case.make_ruling(RulingDecision.NO_PENALTY, text)


def _decide_touched_pile(case: IrregularityCase) -> RulingRecommendation:
    who = case.name_side(case.facts.get_side("by"))
    text = lazy_text("%(who)s touched the top of a pile by mistake, and is not forced to take that card.", who=who)
    return case.make_ruling(RulingDecision.NO_PENALTY, text)


def _decide_retaken_card(case: IrregularityCase) -> RulingRecommendation:
    who, to_knock = case.name_side(case.facts.get_side("by")), case.facts.get_answer("to_knock")
    if to_knock is None:
        text = lazy_text("A discard that was taken and given back can be retaken only to knock.")
        return case.make_open_recommendation(text, missing_facts=["to_knock"])
    if to_knock:
        return case.make_ruling(
            RulingDecision.ALLOWED, lazy_text("%(who)s may retake the discard, for it is used to knock.", who=who)
        )
    return case.make_ruling(
        RulingDecision.REFUSED, lazy_text("%(who)s cannot retake the discard: it is not used to knock.", who=who)
    )


def _decide_agreed_score(case: IrregularityCase) -> RulingRecommendation:
    agreed, recorded = case.facts.get_answer("agreed"), case.facts.get_answer("recorded")
    ruling = find_unambiguous_result(
        _rule_on_agreement, list_possible_values(agreed, YES_OR_NO), list_possible_values(recorded, YES_OR_NO)
    )
    if ruling is RulingDecision.STANDS:
        return case.make_ruling(
            ruling, lazy_text("The count was agreed to by the players and recorded: the hand stands.")
        )
    if ruling is None:
        known = {"agreed": agreed, "recorded": recorded}
        return case.make_open_recommendation(missing_facts=[name for name, value in known.items() if value is None])
    if agreed is False:
        again = lazy_text("The count was not agreed to by the players: the hand is counted again, cards unshuffled.")
    else:
        again = lazy_text(
            "The count was not recorded by the player who keeps score: the hand is counted again, cards unshuffled."
        )
    return case.make_ruling(ruling, again)


def _rule_on_agreement(agreed: bool, recorded: bool) -> RulingDecision:
    return RulingDecision.STANDS if agreed and recorded else RulingDecision.RECOUNT


TWO_CARDS_DRAWN: Final = Irregularity(
    games=GAMES_WITH_DRAW_PILE,
    name="drew-two",
    title=lazy_text("Two cards drawn"),
    rule=11,
    decide=_decide_drew_two,
    rulings=(RulingDecision.THROW_IN, RulingDecision.CONTINUE),
    facts=(
        FactQuestion("by", lazy_text("Who drew two cards?"), FactKind.SIDE),
        FactQuestion(
            "nine_spread_or_gin",
            lazy_text("The director looks: do they have nine cards spread, or are they on gin?"),
            FactKind.YES_NO,
        ),
        FactQuestion("chosen", lazy_text("What does the opponent choose?"), FactKind.CODE, codes=_DREW_TWO_CHOICES),
    ),
)
WRONG_CARD_FACE_DOWN: Final = Irregularity(
    games=GAMES_WITH_GIN,
    name="wrong-card-down",
    title=lazy_text("Wrong card turned face down"),
    rule=10,
    decide=_decide_wrong_card,
    rulings=(RulingDecision.NO_PENALTY,),
    facts=(_WHO_DID_IT,),
)
TOUCHED_PILE: Final = Irregularity(
    games=GAMES_WITH_DRAW_PILE,
    name="touched-pile",
    title=lazy_text("Pile touched by mistake"),
    rule=5,
    decide=_decide_touched_pile,
    rulings=(RulingDecision.NO_PENALTY,),
    facts=(_WHO_DID_IT,),
)
DISCARD_RETAKEN: Final = Irregularity(
    games=GAMES_WITH_DRAW_PILE,
    name="retake-discard",
    title=lazy_text("Discard retaken"),
    rule=14,
    decide=_decide_retaken_card,
    rulings=(RulingDecision.ALLOWED, RulingDecision.REFUSED),
    facts=(
        FactQuestion("by", lazy_text("Who wants the card?"), FactKind.SIDE),
        FactQuestion("to_knock", lazy_text("Is the card used to knock?"), FactKind.YES_NO),
    ),
)
AGREED_COUNT_QUESTIONED: Final = Irregularity(
    games=GAMES_WITH_GIN,
    name="count-after-agreement",
    title=lazy_text("Count questioned after it was agreed"),
    rule=16,
    decide=_decide_agreed_score,
    rulings=(RulingDecision.STANDS, RulingDecision.RECOUNT),
    facts=(
        FactQuestion("agreed", lazy_text("Had the players agreed to the count?"), FactKind.YES_NO),
        FactQuestion("recorded", lazy_text("Had the player who keeps score recorded it?"), FactKind.YES_NO),
    ),
)


# --- Offenses with penalties -----------------------------------------------------------------------------------------
# The director chooses most of these penalties (GRA 2012, singles 13 and 17, preamble).

_LabeledCodes = tuple[tuple[str, str], ...]

_UNMATCHED_CHOICES: Final[_LabeledCodes] = (
    (str(RulingDecision.GAME_LOSS), lazy_text("both lose one game")),
    (str(RulingDecision.ELIMINATION), lazy_text("both are eliminated from the contest")),
)
_GIVEN_AWAY_CHOICES: Final[_LabeledCodes] = (
    (str(RulingDecision.ELIMINATION), lazy_text("both are eliminated from the contest")),
    (str(RulingDecision.NO_PENALTY), lazy_text("no penalty")),
)
_CONDUCT_CHOICES: Final[_LabeledCodes] = (
    (str(RulingDecision.WARNING), lazy_text("a warning")),
    (str(RulingDecision.GAME_LOSS), lazy_text("the loss of one game")),
    (str(RulingDecision.ELIMINATION), lazy_text("elimination from the contest")),
    (str(RulingDecision.DISQUALIFICATION), lazy_text("disqualification, the ultimate penalty")),
)
_PENALTIES: Final = (RulingDecision.GAME_LOSS, RulingDecision.ELIMINATION, RulingDecision.DISQUALIFICATION)
_BOTH_SIDES: Final = FactQuestion("sides", lazy_text("Which two sides?"), FactKind.SIDES)


def _decide_false_report(case: IrregularityCase) -> RulingRecommendation:
    by = case.facts.get_side("by")
    if by is None:
        return case.make_open_recommendation(
            lazy_text("A match was reported that has not been played."), missing_facts=["by"]
        )
    return case.make_ruling(
        RulingDecision.GAME_LOSS,
        lazy_text(
            "%(by)s reported a match that has not been played, and is credited with the loss of one game.",
            by=case.name_side(by),
        ),
        lazy_text("The other side is not credited with a win."),
        penalties={by: RulingDecision.GAME_LOSS},
    )


def _make_decision_for_both(
    offense: Callable[[str], str], codes: _LabeledCodes
) -> Callable[[IrregularityCase], RulingRecommendation]:
    """Return a function that decides on an offense committed by both sides.

    `offense` returns a sentence about the offense, given both sides' names as text.
    """

    def decide(case: IrregularityCase) -> RulingRecommendation:
        sides, chosen = case.facts.get_sides("sides"), case.facts.get_code("chosen")
        words = offense(join_with_and([case.name_side(side) for side in sides]) or lazy_text("The two players"))
        if chosen is None:
            return _leave_choice_to_director(case, words, codes, missing_facts=[] if sides else ["sides"])
        if not sides and RulingDecision(chosen) in _PENALTIES:
            return case.make_open_recommendation(words, missing_facts=["sides"])
        return _rule_as_chosen(case, words, codes, sides)

    return decide


def _decide_conduct(case: IrregularityCase) -> RulingRecommendation:
    by, chosen = case.facts.get_side("by"), case.facts.get_code("chosen")
    words = _describe_accusation(case.name_side(by), case.facts.get_number("warnings"))
    if chosen is None:
        return _leave_choice_to_director(case, words, _CONDUCT_CHOICES, missing_facts=["by"] if by is None else [])
    if by is None and RulingDecision(chosen) in _PENALTIES:
        return case.make_open_recommendation(words, missing_facts=["by"])
    return _rule_as_chosen(case, words, _CONDUCT_CHOICES, () if by is None else (by,))


def _describe_accusation(by: str, warnings: int | None) -> str:
    if warnings is None:
        return lazy_text("%(by)s is before the director for conduct.", by=by)
    if warnings == 0:
        return lazy_text("%(by)s is before the director for conduct, not warned before.", by=by)
    return lazy_plural(
        "%(by)s is before the director for conduct, after %(number)s warning.",
        "%(by)s is before the director for conduct, after %(number)s warnings.",
        warnings,
        by=by,
    )


def _leave_choice_to_director(
    case: IrregularityCase, words: str, codes: _LabeledCodes, *, missing_facts: list[str]
) -> RulingRecommendation:
    choices = [
        RulingChoice(code, CHOSEN_BY_DIRECTOR, lazy_text("The director may rule: %(meaning)s.", meaning=meaning))
        for code, meaning in codes
    ]
    return case.make_open_recommendation(words, missing_facts=missing_facts, choices=choices)


def _rule_as_chosen(
    case: IrregularityCase, words: str, codes: _LabeledCodes, sides: tuple[str, ...]
) -> RulingRecommendation:
    code = case.facts.get_code("chosen")
    ruling = RulingDecision(str(code))
    penalties = dict.fromkeys(sides, ruling) if ruling in _PENALTIES else {}
    uncredited = [lazy_text("No opponent is credited with a win for it.")] if ruling is RulingDecision.GAME_LOSS else []
    return case.make_ruling(
        ruling,
        words,
        lazy_text("The director rules: %(what)s.", what=dict(codes)[str(code)]),
        *uncredited,
        penalties=penalties,
    )


FALSE_REPORT: Final = Irregularity(
    name="false-report",
    title=lazy_text("Match reported that was not played"),
    rule=13,
    decide=_decide_false_report,
    rulings=(RulingDecision.GAME_LOSS,),
    is_about_hand=False,
    facts=(FactQuestion("by", lazy_text("Who reported it?"), FactKind.SIDE),),
)
PLAY_WITHOUT_PAIRING: Final = Irregularity(
    name="unmatched-play",
    title=lazy_text("Play without being matched"),
    rule=17,
    decide=_make_decision_for_both(
        lambda who: lazy_text("%(who)s played without having been matched by the staff.", who=who), _UNMATCHED_CHOICES
    ),
    rulings=(RulingDecision.GAME_LOSS, RulingDecision.ELIMINATION),
    is_about_hand=False,
    facts=(
        _BOTH_SIDES,
        FactQuestion("chosen", lazy_text("What does the director choose?"), FactKind.CODE, codes=_UNMATCHED_CHOICES),
    ),
)
GAME_GIVEN_AWAY: Final = Irregularity(
    name="gave-game-away",
    title=lazy_text("Game given away"),
    rule=17,
    decide=_make_decision_for_both(
        lambda who: lazy_text("%(who)s are before the director over a game given away.", who=who), _GIVEN_AWAY_CHOICES
    ),
    rulings=(RulingDecision.ELIMINATION, RulingDecision.NO_PENALTY),
    is_about_hand=False,
    facts=(
        _BOTH_SIDES,
        FactQuestion("chosen", lazy_text("What does the director choose?"), FactKind.CODE, codes=_GIVEN_AWAY_CHOICES),
    ),
)
CONDUCT_OFFENSE: Final = Irregularity(
    name="conduct",
    title=lazy_text("Conduct"),
    rule=None,
    partnership_adds=lazy_text("Players cannot consult during the play of a hand: partnership rule 13."),
    decide=_decide_conduct,
    rulings=(
        RulingDecision.WARNING,
        RulingDecision.GAME_LOSS,
        RulingDecision.ELIMINATION,
        RulingDecision.DISQUALIFICATION,
    ),
    is_about_hand=False,
    facts=(
        FactQuestion("by", lazy_text("Whose conduct is it?"), FactKind.SIDE),
        FactQuestion("warnings", lazy_text("How often have they been warned before?"), FactKind.NUMBER),
        FactQuestion("chosen", lazy_text("What does the director choose?"), FactKind.CODE, codes=_CONDUCT_CHOICES),
    ),
)
