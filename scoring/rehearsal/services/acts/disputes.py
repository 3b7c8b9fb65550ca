"""Random actions in a dispute: entering different figures, calling the director, making rulings, and appealing."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db.models import QuerySet

from scoring.card_state.selectors.players import SeatedMatch
from scoring.card_state.selectors.state import CardState
from scoring.cards.selectors.checks import load_card_checks
from scoring.cards.services.checks import (
    DisplayedHand,
    TurnedUpCard,
    accept_hand_check_figures,
    confirm_hand,
    dispute_hand,
    record_new_deck,
    record_up_card,
    settle_hand_as_written,
)
from scoring.cards.services.hands import announce_totals
from scoring.disputes.selectors.disputes import DisputeState, load_disputes, load_disputes_without_ruling
from scoring.disputes.selectors.rulings import load_committee
from scoring.disputes.services.appeals import (
    AppealDecision,
    decide_appeal,
    record_appeal,
    record_ruling_refusal,
    set_committee,
)
from scoring.disputes.services.disputes import (
    DisputeFindings,
    NewDispute,
    answer_director_call,
    call_director,
    drop_dispute,
    open_dispute,
    record_dispute_facts,
)
from scoring.disputes.services.rulings import DirectorDecision, ProposedRuling, make_ruling
from scoring.models import Appeal, DirectorCall, HandCheck, Ruling
from scoring.rehearsal.selectors.hands import make_random_line
from scoring.rehearsal.services.acts.at_tables import find_scorekeeper_on_card
from scoring.rehearsal.services.play import (
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    describe_card_for_log,
    register_main_action,
    register_side_action,
)
from scoring.rules.hand.cards import DECK
from scoring.rules.irregularities.case import FactKind, FactQuestion, RulingDecision
from scoring.rules.rulings.recommend import PENALTIES, SheetEffect, find_reportable_irregularities
from tournament.core.permissions import make_player_actor
from tournament.models import Entrant


def _list_open_entrant_cards(play: RehearsalContext) -> list[CardState]:
    return [state for state in play.state.open_cards if state.card.entrants and len(state.seats) > 1]


def _list_cards_with_hands(play: RehearsalContext) -> list[CardState]:
    return [state for state in _list_open_entrant_cards(play) if state.lines]


@register_side_action("up-card", weight=3)
@act_on_random_item(_list_open_entrant_cards)
def _propose_up_card(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who, up = play.dice.choice(state.card.entrants), str(play.dice.choice(sorted(DECK)))
    turned = TurnedUpCard(hand=len(state.lines) + 1, up=up, key=play.dice.make_key())
    return RehearsalAction(
        f"{describe_card_for_log(state)}: {up}", partial(record_up_card, state.card, turned, by=make_player_actor(who))
    )


@register_side_action("confirm-hand", weight=2)
@act_on_random_item(_list_cards_with_hands)
def _propose_confirm_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who, seen = _choose_player_and_hand(play, state)
    return RehearsalAction(
        f"{describe_card_for_log(state)} hand {seen.hand}",
        partial(confirm_hand, state.card, seen, by=make_player_actor(who)),
    )


@register_side_action("keep-differently", weight=3)
@act_on_random_item(_list_cards_with_hands)
def _propose_dispute_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose that a player enter their own figures for a hand that is already recorded.

    If the card is complete, the player enters the recorded figures again. Otherwise, the figures are random.
    """
    who, seen = _choose_player_and_hand(play, state)
    line = (
        make_random_line(play.dice, state.sheet)
        if not state.is_complete
        else dict(state.lines[seen.hand - 1].line or {})
    )
    if line is None:
        return None
    return RehearsalAction(
        f"{describe_card_for_log(state)} hand {seen.hand}",
        partial(dispute_hand, state.card, seen, line, by=make_player_actor(who)),
    )


def _choose_player_and_hand(play: RehearsalContext, state: CardState) -> tuple[Entrant, DisplayedHand]:
    hand = play.dice.randint(1, len(state.lines))
    seen = DisplayedHand(hand=hand, line=state.lines[hand - 1].pk, key=play.dice.make_key())
    return play.dice.choice(state.card.entrants), seen


def _list_cards_with_disputed_hands(play: RehearsalContext) -> list[CardState]:
    if not HandCheck.objects.filter(line__card__match__event=play.event, own__isnull=False).exists():
        return []
    return [state for state in _list_open_entrant_cards(play) if load_card_checks(state).disputed_hands]


@register_main_action("settle-difference")
@act_on_random_item(_list_cards_with_disputed_hands)
def _propose_settle_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to resolve a difference between two players' figures for a hand.

    Either the other player's figures are accepted, or the recorded figures stand.
    """
    checked = load_card_checks(state).disputed_hands[0]
    who = find_scorekeeper_on_card(state)
    if play.dice.happens_with_probability(0.5):
        by = make_player_actor(who) if who is not None and play.dice.happens_with_probability(0.7) else play.desk
        check = checked.against[0].pk
        label = f"{describe_card_for_log(state)} hand {checked.hand} as the other has it"
        return RehearsalAction(label, partial(accept_hand_check_figures, state.card, check, by=by))
    seen = DisplayedHand(hand=checked.hand, line=checked.line.pk)
    label = f"{describe_card_for_log(state)} hand {checked.hand} stands"
    return RehearsalAction(
        label, partial(settle_hand_as_written, state.card, seen, by=play.desk, reason=play.choose_reason())
    )


@register_side_action("new-deck")
@act_on_random_item(_list_open_entrant_cards)
def _propose_new_deck(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who = play.dice.choice(state.card.entrants)
    return RehearsalAction(
        f"{describe_card_for_log(state)}: {who.name}", partial(record_new_deck, state.card, by=make_player_actor(who))
    )


@register_side_action("announce-totals")
@act_on_random_item(_list_open_entrant_cards)
def _propose_announce_totals(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who = find_scorekeeper_on_card(state)
    return RehearsalAction(
        describe_card_for_log(state),
        partial(announce_totals, state.card, by=make_player_actor(who) if who is not None else play.desk),
    )


# --- Rulings ---------------------------------------------------------------------------------------------------------
# Acts for disputes and rulings: calls by players and the desk, rulings by the book or otherwise, and appeals.


@register_side_action("call-for-ruling", weight=4)
@act_on_random_item(lambda play: [state for state in play.state.cards if len(state.seats) > 1])
def _propose_dispute(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose that a player or staff open a dispute about a score card, with a random kind of irregularity."""
    kinds = find_reportable_irregularities(state.rules.rules)
    kind = play.dice.choice(sorted(kinds))
    hand = play.dice.randint(1, len(state.lines) + 1)
    finding = DisputeFindings(
        kind=kind, hand=hand, facts=_make_random_facts(play, kinds[kind].facts, state.letters, state.sheet)
    )
    who = play.dice.pick_one(state.card.entrants)
    by = make_player_actor(who) if who is not None and play.dice.happens_with_probability(0.5) else play.desk
    opening = NewDispute(findings=finding, card=state.card, reason="" if by.entrant else "asked late")
    return RehearsalAction(
        f"{describe_card_for_log(state)}: {kind}",
        partial(open_dispute, play.event, opening, by=by, key=play.dice.make_key()),
    )


@register_side_action("call-at-desk", weight=1.5)
def _propose_dispute_without_card(play: RehearsalContext) -> RehearsalAction | None:
    """Propose that staff open a dispute about entrants, without a score card."""
    there = play.state.filter_entrants(Entrant.State.IN)
    if len(there) < 2:
        return None
    chosen = play.dice.sample(there, play.dice.randint(1, 2))
    kinds = find_reportable_irregularities(play.playable.rules.variant)
    kind = play.dice.choice(sorted(kinds))
    facts = _make_random_facts(play, kinds[kind].facts, ("A", "B")[: len(chosen)], None)
    found, entries = DisputeFindings(kind=kind, facts=facts), tuple(who.number for who in chosen)
    opening = NewDispute(findings=found, entries=entries, about="conduct")
    label = f"{kind}: {', '.join(who.name for who in chosen)}"
    return RehearsalAction(label, partial(open_dispute, play.event, opening, by=play.desk, key=play.dice.make_key()))


def _describe_dispute_for_log(state: DisputeState) -> str:
    return f"{state.kind}, {state.between}"


def _load_disputes_without_ruling(play: RehearsalContext) -> list[DisputeState]:
    return load_disputes_without_ruling(play.event)


@register_side_action("find-facts", weight=2)
@act_on_random_item(_load_disputes_without_ruling)
def _propose_record_facts(play: RehearsalContext, state: DisputeState) -> RehearsalAction | None:
    if state.irregularity is None:
        return None
    facts = _make_random_facts(play, state.irregularity.facts, tuple(state.names), None)
    finding = DisputeFindings(kind=state.kind, hand=state.hand, board=state.board_number, facts=facts)
    return RehearsalAction(
        _describe_dispute_for_log(state), partial(record_dispute_facts, state.dispute, finding, by=play.desk)
    )


def _make_random_facts(
    play: RehearsalContext, facts: tuple[FactQuestion, ...], sides: tuple[str, ...], sheet: Any
) -> dict[str, Any]:
    """Return random answers to most of the questions in `facts`, keyed by the names of the questions."""
    known = {
        fact.name: _make_random_fact(play, fact, sides, sheet)
        for fact in facts
        if play.dice.happens_with_probability(0.85)
    }
    return {name: value for name, value in known.items() if value is not None}


def _make_random_fact(play: RehearsalContext, fact: FactQuestion, sides: tuple[str, ...], sheet: Any) -> Any:
    dice, card = play.dice, str(play.dice.choice(sorted(DECK)))
    match fact.kind:
        case FactKind.CARD | FactKind.CLAIMED_CARD:
            return card
        case FactKind.CARD_A_SIDE:
            return {side: str(dice.choice(sorted(DECK))) for side in sides}
        case FactKind.CARDS_A_SIDE:
            return {dice.choice(sides): [card]}
        case FactKind.SIDE:
            return dice.choice(sides)
        case FactKind.SIDES:
            return list(sides)
        case FactKind.NUMBER:
            return dice.randint(0, min(fact.maximum, 12))
        case FactKind.NUMBER_A_SIDE:
            return {side: dice.randint(8, 12) for side in sides}
        case FactKind.YES_NO:
            return dice.happens_with_probability(0.5)
        case FactKind.CODE:
            return dice.choice([code for code, _words in fact.codes]) if fact.codes else None
        case FactKind.LINE:
            return make_random_line(dice, sheet) if sheet is not None else None
    return None


@register_side_action("rule", weight=4)
@act_on_random_item(_load_disputes_without_ruling)
def _propose_ruling(play: RehearsalContext, state: DisputeState) -> RehearsalAction | None:
    return _make_ruling_action(play, state)


def _make_ruling_action(play: RehearsalContext, state: DisputeState) -> RehearsalAction:
    deciding = _make_proposed_ruling(play, state)
    how = deciding.director_decision.ruling.value if deciding.director_decision is not None else "by the rules"
    label = f"{_describe_dispute_for_log(state)}: {how}"
    return RehearsalAction(
        label, partial(make_ruling, state.dispute, deciding, by=play.director, key=play.dice.make_key())
    )


@register_main_action("rule-last", turn=7)
@act_on_random_item(_load_disputes_without_ruling)
def _propose_ruling_before_finish(play: RehearsalContext, state: DisputeState) -> RehearsalAction | None:
    """Propose to settle one of the remaining disputes, so that the event can be finished."""
    if play.dice.happens_with_probability(0.3):
        return RehearsalAction(
            _describe_dispute_for_log(state),
            partial(drop_dispute, state.dispute, by=play.director, reason="they agree"),
        )
    return _make_ruling_action(play, state)


def _make_proposed_ruling(play: RehearsalContext, state: DisputeState) -> ProposedRuling:
    finding = DisputeFindings(
        kind=state.kind, hand=state.hand, board=state.board_number, facts=state.facts, claims=state.claims
    )
    if play.dice.happens_with_probability(0.5):
        return ProposedRuling(findings=finding)
    return ProposedRuling(
        findings=finding, director_decision=_make_director_decision(play, state), reason=play.choose_reason()
    )


def _make_director_decision(play: RehearsalContext, state: DisputeState) -> DirectorDecision:
    letters = sorted(letter for letter in state.names if letter)
    ruling = play.dice.choice(list(RulingDecision))
    penalties: Mapping[str, RulingDecision] = {}
    if ruling in PENALTIES and letters:
        penalties = dict.fromkeys(play.dice.pick_some(letters, len(letters)), ruling)
    sheet = play.dice.choice((None, *SheetEffect))
    return DirectorDecision(ruling=ruling, sheet=sheet, penalties=penalties)


@register_side_action("drop-dispute")
@act_on_random_item(lambda play: load_disputes(play.event))
def _propose_drop_dispute(play: RehearsalContext, state: DisputeState) -> RehearsalAction | None:
    return RehearsalAction(
        _describe_dispute_for_log(state), partial(drop_dispute, state.dispute, by=play.desk, reason="they agree")
    )


@register_side_action("name-committee", weight=1.5)
def _propose_committee(play: RehearsalContext) -> RehearsalAction | None:
    return RehearsalAction("", partial(set_committee, play.event, ["Ida Rhodes", "Kurt Gödel"], by=play.director))


def _load_rulings_in_force(play: RehearsalContext) -> list[tuple[Ruling, DisputeState]]:
    return [(state.ruling, state) for state in load_disputes(play.event) if state.ruling is not None]


@register_side_action("appeal", weight=3)
@act_on_random_item(_load_rulings_in_force)
def _propose_appeal(play: RehearsalContext, ruled: tuple[Ruling, DisputeState]) -> RehearsalAction | None:
    ruling, state = ruled
    who = play.dice.pick_one([side.entrant for side in state.sides if side.entrant is not None])
    by = make_player_actor(who) if who is not None and play.dice.happens_with_probability(0.5) else play.desk
    act = partial(record_appeal, ruling, by=by, reason="the card says otherwise", entrant=who, key=play.dice.make_key())
    return RehearsalAction(f"ruling {ruling.number}", act)


def _query_open_appeals(play: RehearsalContext) -> QuerySet[Appeal]:
    made = Appeal.objects.filter(ruling__dispute__event=play.event, decided=None)
    return made.select_related("ruling__dispute__event__tournament").order_by("pk")


@register_main_action("decide-appeal", turn=7)
@act_on_random_item(_query_open_appeals)
def _propose_decide_appeal(play: RehearsalContext, waiting: Appeal) -> RehearsalAction | None:
    """Propose the committee's decision about an appeal, which upholds or replaces the ruling."""
    state = next(one for one in load_disputes(play.event) if one.dispute.pk == waiting.ruling.dispute_id)
    changed = _make_proposed_ruling(play, state) if play.dice.happens_with_probability(0.6) else None
    committee = load_committee(play.event)
    members = tuple(committee.members[:1]) if committee is not None else ("Ida Rhodes",)
    decision = AppealDecision(members=members, reason="heard both", new_ruling=changed)
    return RehearsalAction(
        f"ruling {waiting.ruling.number}", partial(decide_appeal, waiting, decision, by=play.director)
    )


@register_side_action("refuse-ruling", weight=0.5)
def _propose_reject_ruling(play: RehearsalContext) -> RehearsalAction | None:
    """Propose that a player reject a ruling on the grounds that an earlier ruling applied the rule differently."""
    ruled = play.dice.pick_one(_load_rulings_in_force(play))
    earlier = play.dice.pick_one(list(Ruling.objects.filter(dispute__event=play.event).order_by("pk")))
    who = play.dice.pick_one([side.entrant for side in ruled[1].sides if side.entrant]) if ruled is not None else None
    if ruled is None or earlier is None or who is None:
        return None
    ruling, _state = ruled
    act = partial(
        record_ruling_refusal, ruling, earlier, by=play.director, entrant=who, reason="it was otherwise before"
    )
    return RehearsalAction(f"ruling {ruling.number}", act)


@register_side_action("call-director")
@act_on_random_item(lambda play: play.state.meetings)
def _propose_call_director(play: RehearsalContext, meeting: SeatedMatch) -> RehearsalAction | None:
    match, who = meeting.match, play.dice.pick_one(meeting.entrants)
    if who is None:
        return None
    return RehearsalAction(
        f"{match.ident}: {who.name}", partial(call_director, match, by=make_player_actor(who), about="a card")
    )


def _query_open_calls(play: RehearsalContext) -> QuerySet[DirectorCall]:
    calls = DirectorCall.objects.filter(match__event=play.event, answered=None)
    return calls.select_related("match__event__tournament").order_by("pk")


@register_side_action("answer-call", weight=2)
@act_on_random_item(_query_open_calls)
def _propose_answer_call(play: RehearsalContext, called: DirectorCall) -> RehearsalAction | None:
    return RehearsalAction(called.match.ident, partial(answer_director_call, called, by=play.desk))
