from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from pairing.draws.results import Result, ResultCause
from pairing.stages.pictures.boxes import explain_unplayed_outcome
from pairing.stages.selectors.course import load_event_stages
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.disputes.selectors.disputes import load_dispute
from scoring.disputes.services.disputes import DisputeFindings, NewDispute, open_dispute
from scoring.disputes.services.rulings import (
    DirectorDecision,
    ProposedRuling,
    apply_previewed_ruling,
    make_ruling,
    preview_ruling,
)
from scoring.models import Card, CardPosted, ConductPenalty, Dispute, Ruling, SheetLine
from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import SheetEffect
from tests.factories import a_user
from tests.kit import fresh, refused
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import as_the_rules_say, called, called_at_desk, found_of, ruled, ruled_otherwise
from tests.scoring.helpers.playing import an_event_in_play, gin, knock, play, post, sign_both, the_card, the_director
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, Entrant, Event, Tournament
from tournament.setup.services.tournaments import remove_tournament

pytestmark = pytest.mark.django_db
FOUR = ("Ada", "Alan", "Barbara", "Cleo")


@pytest.fixture
@prebuilt
def event() -> Event:
    return an_event_in_play(FOUR)


@pytest.fixture
@prebuilt
def card(event: Event) -> Card:
    card = the_card(event)
    play(card, knock("A", 5, 20))
    return card


def totals(card: Card) -> tuple[int, ...]:
    return load_card_state_by_pk(card.pk).score.totals


def outcome(event: Event, ident: str = "R1M1"):  # type: ignore[no-untyped-def]
    progress = load_event_stages(fresh(event)).progress
    assert progress is not None
    return progress[ident].outcome


def test_the_example_of_the_rule_sheet_is_an_undercut_on_the_card(card: Card) -> None:
    dispute = called(card, "improper-knock", hand=2, by="A", up="9H", count=10, opponent_count=7)
    made = ruled(dispute, chosen="accept")
    assert (made.rule, made.ruling, made.number) == ("singles 9", "accepted-as-undercut", 1)
    assert totals(card) == (15, 28)
    assert made.effects["sheet"]["did"] == "added"


@pytest.mark.parametrize(("count", "does"), [(8, "accepted-as-undercut"), (9, "play-open")])
def test_only_an_opponent_with_the_knock_card_or_less_accepts(card: Card, count: int, does: str) -> None:
    made = ruled(
        called(card, "improper-knock", hand=2, by="A", up="8C", count=10, opponent_count=count, chosen="accept")
    )
    assert made.ruling == does
    assert totals(card) == ((15, 25 + 10 - count) if does == "accepted-as-undercut" else (15, 0))


def test_a_knock_that_is_played_open_leaves_the_card(card: Card) -> None:
    made = ruled(called(card, "improper-knock", hand=1, by="A", up="4H", count=5, opponent_count=3, chosen="decline"))
    assert (made.ruling, made.effects["sheet"]["did"]) == ("play-open", "struck")
    assert totals(card) == (0, 0)
    assert [line.line is None for line in SheetLine.objects.filter(card=card)] == [False, True]


def test_the_recorded_up_card_stands_and_uncovers_an_improper_knock(card: Card) -> None:
    dispute = called(card, "up-card", hand=1, recorded="4H", claims={"A": "8H"})
    line = load_card_state_by_pk(card.pk).lines[0].line
    made = ruled(dispute, hand=line)
    assert (made.ruling, made.effects["sheet"]) == ("recorded-stands", {})
    following = load_dispute(card.match.event, made.effects["opened"][0])
    assert following.kind == "improper-knock"
    assert following.facts == {"up": "4H", "by": "A", "count": 5, "opponent_count": 20}
    assert (following.dispute.card, following.hand) == (card, 1)
    ruled(following.dispute, chosen="accept")
    assert totals(card) == (0, 0), "the opponent has more than the knock card: the hand is played open"


def test_where_no_up_card_is_recorded_the_director_decides_between_the_claims(card: Card) -> None:
    line = load_card_state_by_pk(card.pk).lines[0].line
    dispute = called(card, "up-card", hand=1, claims={"A": "8H", "B": "8S"})
    with pytest.raises(DomainError, match="the director decides") as refusal:
        ruled(dispute, hand=line)
    assert refusal.value.code == "still-open"
    made = ruled(dispute, hand=line, chosen="8S")
    assert made.ruling == "director-decides"
    assert load_card_state_by_pk(card.pk).lines[0].line["up"] == "8S"
    assert totals(card) == (15, 0)


def test_a_wrong_number_of_cards_is_scored_at_the_end(card: Card) -> None:
    facts = {"cards": {"A": 10, "B": 9}, "ended": "knock", "by": "A", "counts": {"A": 5, "B": 20}, "up": "8H"}
    made = ruled(called(card, "wrong-count", hand=1, **facts))
    assert (made.ruling, made.effects["sheet"]["did"]) == ("scored", "corrected")
    assert totals(card) == (25, 0), "ten more for the card that is missing"


@pytest.mark.parametrize(("chosen", "left"), [("new-deal", {"up": "8H", "outcome": "void"}), ("correct", None)])
def test_the_side_with_the_right_number_chooses(card: Card, chosen: str, left: dict[str, str] | None) -> None:
    made = ruled(called(card, "wrong-count", hand=1, cards={"A": 11, "B": 10}, plays=3, chosen=chosen))
    assert made.ruling == chosen
    assert totals(card) == (0, 0)
    assert SheetLine.objects.filter(card=card).last().line == left  # type: ignore[union-attr]


def test_hands_thrown_in_after_two_cards_are_void_on_the_card(card: Card) -> None:
    made = ruled(called(card, "drew-two", hand=1, by="A", nine_spread_or_gin=True, chosen="throw-in"))
    assert (made.ruling, made.effects["sheet"]["line"]) == ("throw-in", {"up": "8H", "outcome": "void"})


@pytest.mark.parametrize(
    ("kind", "facts", "says"),
    [
        ("drew-two", {"by": "A", "nine_spread_or_gin": False}, "continue"),
        ("up-card-out-of-turn", {"by": "A", "chosen": "take"}, "dead-for-dealer"),
        ("wrong-card-down", {"by": "A"}, "no-penalty"),
        ("touched-pile", {"by": "B"}, "no-penalty"),
        ("retake-discard", {"by": "A", "to_knock": True}, "allowed"),
        ("false-gin", {"by": "A", "count": 0}, "proper"),
        ("retake-discard", {"by": "A", "to_knock": False}, "refused"),
        ("count-after-agreement", {"agreed": True, "recorded": True}, "stands"),
        ("count-after-agreement", {"agreed": False, "recorded": True}, "recount"),
        ("gave-game-away", {"chosen": "no-penalty"}, "no-penalty"),
    ],
)
def test_a_slip_of_play_leaves_card_and_match_as_they_are(
    card: Card, kind: str, facts: dict[str, object], says: str
) -> None:
    before = load_card_state_by_pk(card.pk).digest
    made = ruled(called(card, kind, hand=1, **facts))
    assert (made.ruling, made.overrules) == (says, False)
    assert load_card_state_by_pk(card.pk).digest == before
    assert made.effects == {"sheet": {}, "score": {}, "penalties": [], "opened": []}
    assert not ConductPenalty.objects.exists()


def test_a_false_report_loses_the_match_and_nobody_wins_it(event: Event, card: Card) -> None:
    made = ruled(called(card, "false-report", by="A"))
    found = outcome(event)
    assert (found.winner, found.credits[1].result, found.credits[2].result) == (2, Result.LOSS, Result.NONE)
    assert found.credits[1].cause is ResultCause.PENALTY
    assert explain_unplayed_outcome(found) == "Decided by a ruling"
    assert made.effects["penalties"][0]["match"] == "R1M1"
    carried = ConductPenalty.objects.get()
    assert (carried.entrant.number, carried.effect, carried.offence) == (1, "game-loss", "false-report")
    assert list(carried.players.all()) == [carried.entrant.members.get().player]


def test_both_lose_a_match_that_was_played_unmatched(event: Event, card: Card) -> None:
    ruled(called(card, "unmatched-play", chosen="game-loss"))
    found = outcome(event)
    assert found.winner is None
    assert explain_unplayed_outcome(found) == "No winner, by a ruling"
    assert {credit.result for credit in found.credits.values()} == {Result.LOSS}
    assert ConductPenalty.objects.count() == 2


def test_both_are_eliminated_and_keep_the_places_they_played_for(event: Event) -> None:
    post(the_card(event))
    made = ruled(called(the_card(event), "gave-game-away", chosen="elimination"))
    entrants = Entrant.objects.filter(event=event, number__in=(1, 2))
    assert {entrant.state for entrant in entrants} == {Entrant.State.REMOVED}
    assert {entrant.facts.last().kind for entrant in entrants} == {"eliminated"}  # type: ignore[union-attr]
    assert [did["out"] for did in made.effects["penalties"]] == [True, True]
    final = load_event_stages(fresh(event)).progress
    assert final is not None
    assert final.removed.keys() == {1, 2}


def test_of_two_who_are_put_out_of_their_open_match_neither_goes_on(event: Event) -> None:
    made = ruled(called(the_card(event), "gave-game-away", chosen="elimination"))
    progress = load_event_stages(fresh(event)).progress
    assert progress is not None
    assert (progress["R1M1"].winner, progress["R2M1"].entries) == (None, ())
    assert {done["match"] for done in made.effects["penalties"]} == {"R1M1"}


@pytest.mark.parametrize("effect", ["warning", "game-loss", "elimination", "disqualification"])
def test_conduct_has_the_measure_that_the_director_chooses(event: Event, effect: str) -> None:
    made = ruled(called_at_desk(event, "conduct", 2, by="A", warnings=0), chosen=effect)
    assert [(p.entrant.number, p.effect) for p in ConductPenalty.objects.all()] == [(2, effect)]
    state = Entrant.objects.get(event=event, number=2).state
    assert (state == Entrant.State.REMOVED) is (effect in ("elimination", "disqualification"))
    lost = outcome(event)
    assert (lost is not None) is (effect != "warning")
    assert made.ruling == effect


def test_a_demo_goes_with_its_rulings_and_penalties(event: Event) -> None:
    ruled(called_at_desk(event, "conduct", 2, by="A", warnings=0), chosen="game-loss")
    Tournament.objects.filter(pk=event.tournament_id).update(is_demo=True)
    remove_tournament(Tournament.objects.get(pk=event.tournament_id), by=SYSTEM_ACTOR)
    assert not Ruling.objects.exists() and not ConductPenalty.objects.exists() and not Dispute.objects.exists()


def test_every_kind_of_the_rules_is_ruled_on_here() -> None:
    assert len(IRREGULARITIES) == 14
    with open(__file__) as source:
        text = source.read()
    assert [name for name in IRREGULARITIES if f'"{name}"' not in text] == []


def test_a_ruling_is_one_row_of_the_log(card: Card) -> None:
    dispute = called(card, "up-card", hand=1, recorded="4H")
    before = AuditEntry.objects.count()
    ruled(dispute, hand=load_card_state_by_pk(card.pk).lines[0].line)
    assert [row.verb for row in AuditEntry.objects.order_by("seq")[before:]] == ["ruling.made"]


def test_the_same_request_twice_is_one_ruling(card: Card) -> None:
    dispute = called(card, "improper-knock", hand=2, by="A", up="9H", count=10, opponent_count=7)
    deciding = as_the_rules_say(dispute, chosen="accept")
    first, again = (make_ruling(dispute, deciding, by=SYSTEM_ACTOR, key="k") for _turn in range(2))
    assert first == again
    assert totals(card) == (15, 28)


def test_a_second_director_is_told_who_ruled(card: Card) -> None:
    dispute = called(card, "touched-pile", by="A")
    ruled(dispute)
    with pytest.raises(Conflict, match="system already ruled on this"):
        ruled_otherwise(dispute, RulingDecision.WARNING, A=RulingDecision.WARNING)
    assert not ConductPenalty.objects.exists()


def test_a_ruling_of_their_own_needs_a_reason_and_keeps_what_the_rules_say(card: Card) -> None:
    dispute = called(card, "touched-pile", by="A", hand=1)
    with refused("reason-needed"):
        make_ruling(
            dispute,
            ProposedRuling(
                findings=found_of(dispute), director_decision=DirectorDecision(ruling=RulingDecision.WARNING)
            ),
            by=SYSTEM_ACTOR,
        )
    made = ruled_otherwise(dispute, RulingDecision.WARNING, sheet=SheetEffect.NOTHING, A=RulingDecision.WARNING)
    assert (made.overrules, made.recommended["ruling"], made.ruling) == (True, "no-penalty", "warning")


@pytest.mark.parametrize(
    ("kind", "facts", "code", "penalties"),
    [
        ("conduct", {"by": "A"}, RulingDecision.WARNING, {"A": RulingDecision.WARNING}),
        ("conduct", {"by": "A"}, RulingDecision.GAME_LOSS, {"A": RulingDecision.GAME_LOSS}),
        ("conduct", {"by": "A", "chosen": "game-loss"}, RulingDecision.WARNING, {"A": RulingDecision.WARNING}),
        ("gave-game-away", {}, RulingDecision.NO_PENALTY, {}),
    ],
)
def test_what_the_rules_leave_to_the_director_is_chosen_and_not_otherwise(
    card: Card, kind: str, facts: dict[str, str], code: RulingDecision, penalties: dict[str, RulingDecision]
) -> None:
    made = ruled_otherwise(called(card, kind, **facts), code, **penalties)
    assert (made.ruling, made.overrules, made.facts["chosen"]) == (code.value, False, code.value)
    assert made.recommended["ruling"] == code.value


def test_a_penalty_that_the_rules_do_not_offer_is_otherwise(card: Card) -> None:
    one_of_two = ruled_otherwise(called(card, "unmatched-play"), RulingDecision.GAME_LOSS, A=RulingDecision.GAME_LOSS)
    assert one_of_two.overrules
    assert ruled_otherwise(called(card, "conduct", by="A"), RulingDecision.NO_PENALTY).overrules


@pytest.mark.parametrize("facts", [{}, {"by": "A"}])
def test_a_warning_to_the_table_names_nobody(card: Card, facts: dict[str, str]) -> None:
    made = ruled_otherwise(called(card, "conduct", **facts), RulingDecision.WARNING)
    assert (made.ruling, made.overrules) == ("warning", False)
    assert made.decided == "The director rules: a warning to the table. Nobody is named."
    assert not ConductPenalty.objects.exists()


def test_a_penalty_falls_on_somebody_and_none_where_there_is_none(card: Card) -> None:
    dispute = called(card, "touched-pile", by="A")
    with pytest.raises(DomainError, match="Choose who gets the penalty: loss of a game"):
        ruled_otherwise(dispute, RulingDecision.GAME_LOSS)
    with pytest.raises(DomainError, match="there is no penalty"):
        ruled_otherwise(dispute, RulingDecision.NO_PENALTY, A=RulingDecision.WARNING)
    assert load_dispute(card.match.event, dispute.pk).is_waiting


def test_the_directors_own_line_stands_on_the_card(card: Card) -> None:
    dispute = called(card, "touched-pile", by="A", hand=1)
    line = {"up": "8H", "outcome": "points", "to": "B", "points": 7}
    ruled_otherwise(dispute, RulingDecision.SCORED, sheet=SheetEffect.LINE, line=line)
    assert totals(card) == (0, 7)


def test_signatures_fall_and_what_follows_is_shown_before(event: Event) -> None:
    card = the_card(event)
    play(card, gin("A", 20, "8H"), knock("A", 9, 30, "9C"))
    sign_both(card)
    assert outcome(event).winner == 1
    facts = {"by": "A", "up": "9C", "count": 10, "opponent_count": 9, "chosen": "accept"}
    dispute = called(card, "improper-knock", hand=2, **facts)
    looked = preview_ruling(dispute, as_the_rules_say(dispute), by=SYSTEM_ACTOR)
    assert looked.before is not None and looked.after is not None
    assert (looked.before.score.totals_text, looked.after.score.totals_text) == ("66–0", "45–26")
    assert looked.lost_signatures == 2
    assert load_card_state_by_pk(card.pk).is_posted, "only looked at"
    apply_previewed_ruling(dispute, as_the_rules_say(dispute), shown=looked.digest, by=SYSTEM_ACTOR)
    state = load_card_state_by_pk(card.pk)
    assert (state.score.totals, state.is_posted, state.signatures.signed_entrants) == ((45, 26), False, frozenset())


def test_what_a_win_turned_round_changes_is_shown_as_it_is_once_signed(event: Event) -> None:
    card = the_card(event)
    play(card, gin("B", 9, "9C"), gin("A", 20, "8H"), knock("A", 5, 20, "7C"))
    sign_both(card)
    line = {"up": "7C", "outcome": "points", "to": "B", "points": 30}
    dispute = called(card, "conduct", hand=3, by="A")
    own = DirectorDecision(ruling=RulingDecision.SCORED, sheet=SheetEffect.LINE, line=line)
    deciding = ProposedRuling(findings=found_of(dispute), director_decision=own, reason="seen by me")
    looked = preview_ruling(dispute, deciding, by=SYSTEM_ACTOR)
    changed = {change.ident: change.after for change in looked.effects.matches}
    assert looked.takes_effect_after_signing
    assert changed["R1M1"].winner == 2  # type: ignore[union-attr]
    assert 2 in changed["R2M1"].sides  # type: ignore[union-attr]
    apply_previewed_ruling(dispute, deciding, shown=looked.digest, by=SYSTEM_ACTOR)
    assert outcome(event).winner == 1, "until it is signed again"
    sign_both(card)
    assert outcome(event).winner == 2


def test_nothing_is_done_that_was_not_shown(card: Card) -> None:
    dispute = called(card, "improper-knock", hand=2, by="A", up="9H", count=10, opponent_count=7, chosen="accept")
    looked = preview_ruling(dispute, as_the_rules_say(dispute), by=SYSTEM_ACTOR)
    play(card, gin("B", 30, "KC"))
    with pytest.raises(Conflict, match="Read the changes again"):
        apply_previewed_ruling(dispute, as_the_rules_say(dispute), shown=looked.digest, by=SYSTEM_ACTOR)
    assert not dispute.rulings.exists()


def test_nobody_is_penalised_twice_for_one_match(event: Event, card: Card) -> None:
    first, second = called(card, "false-report", by="A"), called(card, "false-report", by="A")
    ruled(first)
    with pytest.raises(DomainError, match="Nobody is penalized twice") as refusal:
        ruled(second)
    assert refusal.value.code == "penalised-already"
    assert ConductPenalty.objects.count() == 1


def test_only_a_director_rules(event: Event, card: Card) -> None:
    dispute = called(card, "touched-pile", by="A")
    desk = make_staff_actor(a_user("desk", event.tournament))
    for actor in (desk, make_player_actor(card.entrants[0])):
        with pytest.raises(DomainError, match="Only a director"):
            make_ruling(dispute, as_the_rules_say(dispute), by=actor)
    assert make_ruling(dispute, as_the_rules_say(dispute), by=the_director(event)).number == 1
    assert Dispute.objects.count() == 1


def test_a_final_card_is_not_opened_again_by_a_late_call(event: Event) -> None:
    card = the_card(event)
    play(card, gin("A", 20, "8H"), knock("A", 9, 30, "9C"))
    sign_both(card)
    CardPosted.objects.update(at=timezone.now() - timedelta(hours=2))
    found = DisputeFindings(
        kind="wrong-count", hand=2, facts={"cards": {"A": 11, "B": 10}, "plays": 3, "chosen": "new-deal"}
    )
    dispute = open_dispute(event, NewDispute(card=card, findings=found, reason="found in the box"), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="a second official") as refusal:
        ruled(dispute)
    assert refusal.value.code == "final"
    assert load_card_state_by_pk(card.pk).score.totals == (66, 0)
