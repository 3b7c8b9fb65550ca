from __future__ import annotations

from typing import Any

import pytest

from pairing.desk.services.pairings import PairsToSend
from pairing.models import MatchResult
from pairing.stages.services.stages import open_next_stage
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.cards.services.closing import load_open_games
from scoring.disputes.selectors.disputes import load_dispute
from scoring.disputes.selectors.register import load_ruling_slip
from scoring.disputes.selectors.rulings import find_recorded_facts, load_dispute_record, load_penalties, load_precedents
from scoring.disputes.services.appeals import (
    AppealDecision,
    apply_previewed_appeal_decision,
    decide_appeal,
    preview_appeal_decision,
    record_appeal,
    set_committee,
)
from scoring.disputes.services.disputes import DisputeFindings
from scoring.disputes.services.penalties import lift_penalty
from scoring.disputes.services.rulings import DirectorDecision, ProposedRuling, preview_ruling
from scoring.disputes.tables import describe_ruling_slip
from scoring.models import Appeal, Card, ConductPenalty, Ruling, SheetLine
from scoring.posting.services.opening import get_or_open_card
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import SheetEffect, recommend_ruling
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import an_entrant, an_event
from tests.kit import fresh
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import as_the_rules_say, called, called_at_desk, found_of, ruled, ruled_otherwise
from tests.scoring.helpers.playing import a_drawn_event, an_event_in_play, gin, knock, play, post, start_play, the_card
from tests.scoring.helpers.stages import on_paper
from tests.scoring.helpers.table_events import a_table_event_in_play, open_cards
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant, Event

pytestmark = pytest.mark.django_db
BOARDS = {
    "up": "8H",
    "boards": [
        {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}},
        {"outcome": "gin", "by": "B", "counts": {"A": 30, "B": 0}},
    ],
}


@pytest.fixture
@prebuilt
def pairs() -> Card:
    """Return the score card of a match between two pairs of partners. It contains one hand with two boards."""
    event = a_drawn_event(("Ada + Alan", "Bo + Cy"), entry_size=2)
    save_rule_sheet(event, ChosenRules("gra-partnership", {"boards": 2}), by=SYSTEM_ACTOR)
    card = the_card(start_play(event, by=SYSTEM_ACTOR))
    play(card, BOARDS)
    return card


@pytest.fixture
@prebuilt
def pool() -> Event:
    event = staged(4, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    return fresh(event)


def first_card(event: Event) -> Card:
    return get_or_open_card(load_ready_seated_matches(event)[0], 1, by=SYSTEM_ACTOR)


def lines(card: Card) -> list[Any]:
    return [line.line for line in load_card_state_by_pk(card.pk).lines]


def records(event: Event) -> dict[int, str]:
    pool = course_of(event).pool
    assert pool is not None
    return {number: str(pool.qualifying[number].record) for number in (1, 2, 3, 4)}


class TestPartnership:
    def test_a_ruling_on_one_board_leaves_the_others(self, pairs: Card) -> None:
        facts = {"by": "A", "up": "8H", "count": 10, "opponent_count": 7, "chosen": "accept"}
        made = ruled(called(pairs, "improper-knock", hand=1, board=1, **facts))
        assert made.rule == "singles 9"
        (hand,) = lines(pairs)
        assert hand["boards"][0] == {"outcome": "points", "to": "B", "points": 28}
        assert hand["boards"][1] == BOARDS["boards"][1]

    def test_a_hand_that_is_not_on_the_card_is_added_with_its_board(self, pairs: Card) -> None:
        facts = {"by": "A", "up": "9H", "count": 10, "opponent_count": 7, "chosen": "accept"}
        ruled(called(pairs, "improper-knock", hand=2, board=2, **facts))
        assert [board["outcome"] for board in lines(pairs)[1]["boards"]] == ["void", "points"]

    def test_a_board_is_thrown_in(self, pairs: Card) -> None:
        ruled(called(pairs, "wrong-count", hand=1, board=2, cards={"A": 9, "B": 11}, plays=4))
        assert lines(pairs)[0]["boards"] == [BOARDS["boards"][0], {"outcome": "void"}]

    def test_the_whole_hand_is_judged_under_the_recorded_card(self, pairs: Card) -> None:
        ruled(called(pairs, "up-card", hand=1, recorded="JS"), hand=lines(pairs)[0])
        assert lines(pairs)[0] == {**BOARDS, "up": "JS"}

    def test_the_center_deck_has_its_own_rule(self, pairs: Card) -> None:
        made = ruled(called(pairs, "up-card-out-of-turn", hand=1, by="A"))
        assert (made.rule, made.ruling) == ("partnership 7", "dead-for-dealer")

    @pytest.mark.parametrize(
        ("kind", "facts", "says"),
        [
            ("drew-two", {"by": "A", "nine_spread_or_gin": True, "chosen": "continue"}, "continue"),
            ("wrong-card-down", {"by": "A"}, "no-penalty"),
            ("touched-pile", {"by": "A"}, "no-penalty"),
            ("retake-discard", {"by": "A", "to_knock": False}, "refused"),
            ("count-after-agreement", {"agreed": True, "recorded": True}, "stands"),
            ("false-report", {"by": "A"}, "game-loss"),
            ("unmatched-play", {"chosen": "elimination"}, "elimination"),
            ("gave-game-away", {"chosen": "no-penalty"}, "no-penalty"),
            ("conduct", {"by": "B", "chosen": "warning"}, "warning"),
        ],
    )
    def test_the_other_kinds(self, pairs: Card, kind: str, facts: dict[str, Any], says: str) -> None:
        assert ruled(called(pairs, kind, hand=1, board=1, **facts)).ruling == says
        assert lines(pairs) == [BOARDS]


class TestPool:
    def test_a_false_report_is_the_loss_of_that_game(self, pool: Event) -> None:
        ruled(called(first_card(pool), "false-report", by="A"))
        assert (records(pool)[1], records(pool)[2]) == ("0–1", "0–0")

    def test_play_without_being_matched_costs_each_a_game_of_its_own(self, pool: Event) -> None:
        made = ruled(called_at_desk(pool, "unmatched-play", 1, 3), chosen="game-loss")
        assert [did["match"] for did in made.effects["penalties"]] == ["X1", "X2"]
        assert records(pool) == {1: "0–1", 2: "0–0", 3: "0–1", 4: "0–0"}

    def test_a_game_lost_for_conduct_leaves_the_one_that_is_played(self, pool: Event) -> None:
        card = first_card(pool)
        made = ruled(called(card, "conduct", by="B", chosen="game-loss"))
        assert made.effects["penalties"][0]["match"] == "X1"
        assert not MatchResult.objects.filter(match=card.match).exists()

    def test_who_is_eliminated_is_out_and_the_opponent_has_a_walk_over(self, pool: Event) -> None:
        ruled(called(first_card(pool), "conduct", by="A", chosen="elimination"))
        assert Entrant.objects.get(event=pool, number=1).state == Entrant.State.REMOVED
        assert records(pool)[2] == "1–0"

    def test_a_hand_is_corrected_like_in_any_match(self, pool: Event) -> None:
        card = first_card(pool)
        play(card, knock("A", 5, 20))
        ruled(called(card, "improper-knock", hand=1, by="A", up="4H", count=5, opponent_count=4, chosen="accept"))
        assert load_card_state_by_pk(card.pk).score.totals == (0, 26)


class TestOtherStages:
    def test_in_groups_the_game_that_is_played_is_lost(self) -> None:
        event = staged(4, {"kind": "round-robin", "groups": 1})
        card = first_card(fresh(event))
        made = ruled(called(card, "conduct", by="A", chosen="game-loss"))
        result = MatchResult.objects.get(match=card.match)
        loser, other = (entrant.number for entrant in card.entrants)
        assert (result.winner, result.credits[str(loser)], result.credits[str(other)]) == (
            None,
            ["loss", "penalty"],
            ["none", "penalty"],
        )
        assert made.effects["penalties"][0]["match"] == card.match.ident

    def test_in_the_bracket_of_stages_the_other_goes_on(self) -> None:
        event = staged(4, {"kind": "fixed", "games": 1}, {"kind": "single-elimination", "seeded": True})
        send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
        for meeting in load_ready_seated_matches(fresh(event)):
            on_paper(get_or_open_card(meeting, 1, by=SYSTEM_ACTOR))
        open_next_stage(event, by=SYSTEM_ACTOR)
        card = first_card(fresh(event))
        loser, other = card.entrants
        made = ruled(called_at_desk(fresh(event), "conduct", loser.number, by="A"), chosen="game-loss")
        assert made.effects["penalties"][0]["match"] == card.match.ident
        assert MatchResult.objects.get(match=card.match).winner == other

    def test_at_a_table_totals_decide_and_no_game_is_lost(self) -> None:
        event = a_table_event_in_play(3, "fort-worth", {"size": 3, "rounds": 1}, length="very-short")
        dispute = called(open_cards(event)[0], "conduct", by="A")
        with pytest.raises(Conflict, match="totals decide"):
            ruled_otherwise(dispute, RulingDecision.GAME_LOSS, A=RulingDecision.GAME_LOSS)
        assert ruled_otherwise(dispute, RulingDecision.WARNING, A=RulingDecision.WARNING).penalties.count() == 1

    def test_who_has_no_match_to_lose_is_named(self) -> None:
        event = an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"))
        post(the_card(event))
        with pytest.raises(Conflict, match="Alan has no match now") as refusal:
            ruled(called_at_desk(event, "conduct", 2, by="A"), chosen="game-loss")
        assert refusal.value.code == "no-game-to-lose"
        assert not ConductPenalty.objects.exists()


class TestAppeal:
    @pytest.fixture
    def made(self) -> Ruling:
        card = the_card(an_event_in_play(("Ada", "Alan", "Barbara", "Cleo")))
        play(card, knock("A", 5, 20))
        set_committee(card.match.event, ["Olga", " ", "Paul"], by=SYSTEM_ACTOR)
        facts = {"by": "A", "up": "4H", "count": 5, "opponent_count": 4, "chosen": "accept"}
        return ruled(called(card, "improper-knock", hand=1, **facts))

    def test_names_have_no_marks_that_turn_what_stands_beside(self, made: Ruling) -> None:
        named = set_committee(made.dispute.event, ["Ol\u202ega", "\u202e"], by=SYSTEM_ACTOR)
        assert named.members == ["Olga"]
        decision = AppealDecision(members=("Ol\u202ega",), reason="Seen")
        decided = decide_appeal(self.appealed(made), decision, by=SYSTEM_ACTOR)
        assert decided.members == ["Olga"]

    def appealed(self, made: Ruling) -> Appeal:
        by = make_player_actor(made.dispute.card.entrants[0])  # type: ignore[union-attr]
        return record_appeal(made, by=by, reason="It was the 5 of hearts")

    def changed(self, made: Ruling, **facts: Any) -> AppealDecision:
        return AppealDecision(
            members=("Olga",), reason="The photo shows it", new_ruling=as_the_rules_say(made.dispute, **facts)
        )

    def test_it_is_upheld(self, made: Ruling) -> None:
        appealed = self.appealed(made)
        assert load_dispute(made.dispute.event, made.dispute.pk).waits_for_committee
        decided = decide_appeal(
            appealed, AppealDecision(members=("Olga", "Paul"), reason="Nothing new"), by=SYSTEM_ACTOR
        )
        assert (decided.upheld, decided.members) == (True, ["Olga", "Paul"])
        state = load_dispute(made.dispute.event, made.dispute.pk)
        assert (state.ruling, state.waits_for_committee) == (made, False)

    def test_what_fell_is_undone_and_the_new_ruling_done(self, made: Ruling) -> None:
        card = made.dispute.card
        assert card is not None
        assert load_card_state_by_pk(card.pk).score.totals == (0, 26)
        appealed = self.appealed(made)
        decision = self.changed(made, up="5H")
        looked = preview_appeal_decision(appealed, decision, by=SYSTEM_ACTOR)
        assert (looked.before.score.totals_text, looked.after.score.totals_text) == ("0–26", "0–26")  # type: ignore[union-attr]
        new = self.changed(made, up="5H", opponent_count=20)
        looked = preview_appeal_decision(appealed, new, by=SYSTEM_ACTOR)
        apply_previewed_appeal_decision(appealed, new, shown=looked.digest, by=SYSTEM_ACTOR)
        second = Ruling.objects.get(supersedes=made)
        assert (second.decider, second.number, second.ruling) == ("committee", 2, "proper")
        assert load_card_state_by_pk(card.pk).score.totals == (15, 0)
        assert SheetLine.objects.filter(card=card).count() == 4, "new facts, nothing overwritten"

    def test_penalties_that_fell_are_lifted_and_the_match_is_open_again(self) -> None:
        event = an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"))
        card = the_card(event)
        set_committee(event, ["Olga"], by=SYSTEM_ACTOR)
        made = ruled(called(card, "gave-game-away", chosen="elimination"))
        appealed = record_appeal(made, by=make_player_actor(card.entrants[0]), reason="We played it out")
        decision = AppealDecision(
            members=("Olga",), reason="Seen", new_ruling=as_the_rules_say(made.dispute, chosen="no-penalty")
        )
        decide_appeal(appealed, decision, by=SYSTEM_ACTOR)
        assert set(event.entrants.values_list("state", flat=True)) == {Entrant.State.IN}
        assert not ConductPenalty.objects.filter(lifted__isnull=True).exists()
        assert [meeting.match.ident for meeting in load_ready_seated_matches(fresh(event))] == ["R1M1", "R1M2"]

    def test_a_lost_match_is_given_back(self) -> None:
        event = an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"))
        card = the_card(event)
        set_committee(event, ["Olga"], by=SYSTEM_ACTOR)
        made = ruled(called(card, "false-report", by="A"))
        own = DirectorDecision(
            ruling=RulingDecision.WARNING, sheet=SheetEffect.NOTHING, penalties={"A": RulingDecision.WARNING}
        )
        changed = ProposedRuling(findings=found_of(made.dispute), director_decision=own, reason="A misunderstanding")
        appealed = record_appeal(made, by=SYSTEM_ACTOR, entrant=card.entrants[0], reason="I asked the desk")
        decide_appeal(appealed, AppealDecision(members=("Olga",), reason="Heard", new_ruling=changed), by=SYSTEM_ACTOR)
        assert "R1M1" in [meeting.match.ident for meeting in load_ready_seated_matches(fresh(event))]
        assert [penalty.effect for penalty in ConductPenalty.objects.filter(lifted__isnull=True)] == ["warning"]

    def test_there_is_one_appeal(self, made: Ruling) -> None:
        appealed = self.appealed(made)
        with pytest.raises(Conflict, match="one appeal"):
            self.appealed(made)
        decision = self.changed(made, up="5H")
        decide_appeal(appealed, decision, by=SYSTEM_ACTOR)
        with pytest.raises(Conflict, match="appealed already"):
            record_appeal(
                Ruling.objects.get(supersedes=made), by=SYSTEM_ACTOR, entrant=appealed.entrant, reason="again"
            )
        with pytest.raises(Conflict, match="was changed"):
            decide_appeal(appealed, AppealDecision(members=("Paul",), reason="no"), by=SYSTEM_ACTOR)

    def test_only_those_whom_it_is_about_appeal(self, made: Ruling) -> None:
        other = made.dispute.event.entrants.get(number=3)
        with pytest.raises(NotAllowed, match="Only the entrants of the ruling"):
            record_appeal(made, by=make_player_actor(other), reason="unfair")
        assert not Appeal.objects.exists()

    def test_without_a_committee_there_is_none(self) -> None:
        card = the_card(an_event_in_play())
        made = ruled(called(card, "touched-pile", by="A"))
        with pytest.raises(DomainError, match="no appeals committee") as refusal:
            record_appeal(made, by=make_player_actor(card.entrants[0]), reason="I did not")
        assert refusal.value.code == "no-committee"


class TestCarried:
    def test_a_warning_is_seen_in_a_later_event_by_whoever_the_person_plays_with(self) -> None:
        event = an_event_in_play()
        ruled(called_at_desk(event, "conduct", 2, by="A"), chosen="warning")
        warned = event.entrants.get(number=2)
        later = an_event(event.tournament)
        again = an_entrant(later, player=warned.members.get().player)
        other = an_entrant(later, "Somebody else")
        (before,) = load_penalties([again, other])[again.pk]
        assert (before.description, before.offence, before.event) == ("Warning", "Conduct", event.name)
        assert other.pk not in load_penalties([again, other])

    def test_the_facts_of_conduct_know_how_often(self) -> None:
        event = an_event_in_play()
        ruled(called_at_desk(event, "conduct", 2, by="A"), chosen="warning")
        state = load_dispute(event, called_at_desk(event, "conduct", 2, by="A").pk)
        assert find_recorded_facts(state, load_dispute_record(state), state.irregularity) == {"by": "A", "warnings": 1}

    def test_what_was_lifted_is_carried_no_more(self) -> None:
        event = an_event_in_play()
        made = ruled(called_at_desk(event, "conduct", 2, by="A"), chosen="warning")
        lift_penalty(made.penalties.get(), by=SYSTEM_ACTOR, reason="Mistaken for somebody else")
        assert load_penalties([event.entrants.get(number=2)]) == {}

    def test_many_entries_take_as_many_questions_as_one(self, django_assert_num_queries: Any) -> None:
        event = an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"))
        for number in (1, 2, 3):
            ruled(called_at_desk(event, "conduct", number, by="A"), chosen="warning")
        for numbers in ([1], [1, 2, 3, 4]):
            entrants = list(event.entrants.filter(number__in=numbers))
            with django_assert_num_queries(3):
                load_penalties(entrants)

    def test_a_precedent_that_was_ruled_otherwise_is_marked(self) -> None:
        event = an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"))
        ruled_otherwise(
            called(the_card(event), "touched-pile", by="A"), RulingDecision.WARNING, A=RulingDecision.WARNING
        )
        ruled(called(the_card(event), "touched-pile", by="B"))
        state = load_dispute(event, called(the_card(event, "R1M2"), "touched-pile", by="B").pk)
        assert [(each["ruling"].number, each["differs"]) for each in load_precedents(state, None)] == [
            (2, ""),
            (1, "overruled"),
        ]


def test_what_is_on_record_fills_the_form() -> None:
    card = the_card(an_event_in_play())
    play(card, gin("A", 20), {**knock("A", 9, 20, "9C")})
    state = load_dispute(card.match.event, called(card, "improper-knock", hand=2).pk)
    assert find_recorded_facts(state, load_dispute_record(state), state.irregularity) == {
        "by": "A",
        "up": "9C",
        "count": 9,
        "opponent_count": 20,
    }


def test_a_hand_of_which_the_sheet_says_only_the_points_leaves_open_how_it_ended() -> None:
    card = the_card(an_event_in_play())
    play(card, {"up": "8H", "outcome": "points", "to": "A", "points": 20})
    state = load_dispute(card.match.event, called(card, "wrong-count", hand=1, plays=3, cards={"A": 10, "B": 9}).pk)
    facts = find_recorded_facts(state, load_dispute_record(state), state.irregularity)
    assert "ended" not in facts
    question = state.make_case(facts)
    assert question is not None
    assert [choice.code for choice in recommend_ruling(question).choices] == ["correct", "new-deal"]


class TestSeveralGames:
    """A player loses one game by penalty in a match that goes to the first side with two wins."""

    @pytest.fixture
    def event(self) -> Event:
        return an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"), games_to_win=2)

    def lose(self, event: Event, by: str = "A") -> Ruling:
        return ruled(called(the_card(event), "conduct", by=by, chosen="game-loss"))

    def test_one_game_is_lost_and_the_match_goes_on(self, event: Event) -> None:
        made = self.lose(event)
        slip = load_ruling_slip(event, made.dispute_id)
        assert slip is not None
        assert describe_ruling_slip(slip, "0" * 64).effects == (
            "Ada: loss of a game: one game of the match, and the other needs one less to go on",
        )
        assert not MatchResult.objects.exists()
        post(the_card(event), "A")
        assert not MatchResult.objects.exists()

    def test_the_other_goes_on_without_a_win_once_they_have_won_one(self, event: Event) -> None:
        self.lose(event)
        post(the_card(event), "B")
        result = MatchResult.objects.get()
        assert (result.winner.name, result.score) == ("Alan", {"1": 0, "2": 1})
        assert result.credits == {"1": ["loss", "penalty"], "2": ["none", "penalty"]}

    def test_a_second_one_decides_a_match_in_which_the_other_has_won_a_game(self, event: Event) -> None:
        post(the_card(event), "B")
        looked = preview_ruling(called(the_card(event, game=2), "conduct"), self.losing("A"), by=SYSTEM_ACTOR)
        assert any(change.ident == "R1M1" for change in looked.effects.matches)
        assert not MatchResult.objects.exists()
        self.lose(event)
        assert MatchResult.objects.get().winner.number == 2

    def losing(self, by: str) -> ProposedRuling:
        return ProposedRuling(findings=DisputeFindings(kind="conduct", facts={"by": by, "chosen": "game-loss"}))

    def test_both_lose_one_and_the_next_game_decides(self, event: Event) -> None:
        penalties = {"A": RulingDecision.GAME_LOSS, "B": RulingDecision.GAME_LOSS}
        ruled_otherwise(called(the_card(event), "conduct", by="A"), RulingDecision.GAME_LOSS, **penalties)
        assert not MatchResult.objects.exists()
        post(the_card(event), "A")
        assert MatchResult.objects.get().winner.number == 1

    def test_a_match_that_was_not_played_is_lost_as_a_whole(self, event: Event) -> None:
        ruled(called(the_card(event), "false-report", by="A"))
        assert MatchResult.objects.get().winner.number == 2

    @pytest.mark.parametrize("how", ["lifted", "appealed"])
    def test_what_falls_opens_the_match_again_with_the_games_as_they_were_won(self, event: Event, how: str) -> None:
        post(the_card(event), "B")
        made = self.lose(event)
        if how == "lifted":
            lift_penalty(made.penalties.get(), by=SYSTEM_ACTOR, reason="It was somebody else")
        else:
            set_committee(event, ["Olga"], by=SYSTEM_ACTOR)
            appealed = record_appeal(
                made, by=SYSTEM_ACTOR, entrant=event.entrants.get(number=1), reason="It was my brother"
            )
            changed = as_the_rules_say(made.dispute, chosen="warning")
            decide_appeal(
                appealed, AppealDecision(members=("Olga",), reason="Heard", new_ruling=changed), by=SYSTEM_ACTOR
            )
        assert MatchResult.objects.last().winner is None
        assert "R1M1" in [meeting.match.ident for meeting in load_ready_seated_matches(fresh(event))]
        post(the_card(event, game=2), "B")
        assert (MatchResult.objects.last().winner.number, MatchResult.objects.last().score) == (2, {"1": 0, "2": 2})

    def test_when_time_is_called_the_lost_game_counts_for_the_leader(self, event: Event) -> None:
        self.lose(event)
        (game,) = load_open_games(event, the_card(event).token)
        assert game.games == {"A": 0, "B": 1}
