"""Each rule set has its own policy for disputes, such as who decides a question about the score."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.selectors.checks import load_game_standing
from scoring.cards.services.hands import LineEntry, add_line, announce_totals, correct_line, record_scorekeeper
from scoring.disputes.selectors.disputes import load_dispute
from scoring.disputes.selectors.rulings import find_recorded_facts, load_dispute_record, load_precedents
from scoring.disputes.services.appeals import record_ruling_refusal
from scoring.models import Card, Dispute, Ruling, RulingRefused, TotalsAnnounced
from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.policies import GameStanding, RulingDecider, find_dispute_policy, find_rule_text
from scoring.rules.variants import VARIANTS
from tests.factories import a_user
from tests.kit import event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import called, called_at_desk, ruled, ruled_otherwise
from tests.scoring.helpers.playing import my_card_url
from tests.scoring.helpers.tables import a_table_card, a_table_event
from tests.scoring.helpers.whist import a_whist_event, enter_all, the_hall
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Event

pytestmark = pytest.mark.django_db

THREE = ("Ada", "Alan", "Grace")
FOUR = (*THREE, "Edsger")


@prebuilt
def a_game(hands: int) -> Card:
    """Return the card of a very short game of Fort Worth, in which Ada keeps score and has won this number of hands."""
    card = a_table_card(THREE, "fort-worth", length="very-short")
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    for hand in range(hands):
        add_line(card, LineEntry(closed(12 + hand)), by=make_player_actor(card.entrants[0]))
    return card


def closed(count: int = 12) -> dict[str, Any]:
    return {"by": "A", "counts": {"B": count, "C": 7}}


def desk_of(card: Card) -> Any:
    return make_staff_actor(a_user("desk", card.match.event.tournament))


@pytest.mark.parametrize("rules", VARIANTS)
def test_every_rule_set_has_a_policy_in_words_and_words_for_its_rules(rules: str) -> None:
    policy = find_dispute_policy(rules)
    assert policy.sentences and policy.kinds
    assert set(policy.own) <= set(policy.kinds)
    assert all(find_rule_text(kind.cite(rules)) for kind in policy.kinds.values())


def test_fort_worth_knows_no_knock() -> None:
    assert "improper-knock" not in find_dispute_policy("fort-worth").kinds
    assert find_dispute_policy("gra-singles").kinds == IRREGULARITIES


def test_the_totals_are_announced_before_the_last_hand_and_only_then(client: Client) -> None:
    early = a_game(4)
    assert "totals are announced" not in client.get(my_card_url(early, "card")).content.decode()
    with pytest.raises(Conflict, match="before the last hand"):
        announce_totals(early, by=make_player_actor(early.entrants[0]))
    card = a_game(5)
    assert "The totals are announced" in client.get(my_card_url(card, "card")).content.decode()
    with pytest.raises(NotAllowed):
        announce_totals(card, by=make_player_actor(card.entrants[1]))
    client.post(my_card_url(card, "announce"), {"key": "k"})
    client.post(my_card_url(card, "announce"), {"key": "k"})
    made = TotalsAnnounced.objects.get()
    state = load_card_state_by_pk(card.pk)
    assert (made.hand, made.totals) == (6, dict(zip("ABC", state.score.totals, strict=True)))
    with pytest.raises(Conflict):
        announce_totals(card, by=desk_of(card))


def test_what_was_announced_stands_but_for_a_director(client: Client) -> None:
    card = a_game(5)
    before = correct_line(card, 2, LineEntry(closed(20)), by=desk_of(card), reason="written wrong")
    announce_totals(card, by=make_player_actor(card.entrants[0]))
    with pytest.raises(NotAllowed, match="C 3"):
        correct_line(card, 2, LineEntry(closed(30)), by=desk_of(card), reason="again")
    with pytest.raises(NotAllowed, match="C 3"):
        correct_line(card, 5, LineEntry(closed(30)), by=make_player_actor(card.entrants[0]), reason="again")
    assert load_card_state_by_pk(card.pk).score.totals == before.score.totals
    director = make_staff_actor(a_user("director", card.match.event.tournament))
    after = correct_line(card, 2, LineEntry(closed(30)), by=director, reason="they saw it")
    assert after.score.totals[1] == before.score.totals[1] + 10


def test_the_last_hand_itself_is_corrected(client: Client) -> None:
    card = a_game(6)
    with pytest.raises(NotAllowed, match="last hand is recorded"):
        correct_line(card, 1, LineEntry(closed(30)), by=desk_of(card), reason="late")
    correct_line(card, 6, LineEntry(closed(30)), by=make_player_actor(card.entrants[0]), reason="written wrong")


def test_an_error_in_the_score_goes_from_the_player_to_the_corrected_hand(client: Client) -> None:
    card = a_game(3)
    page = client.get(my_card_url(card, "what", 1)).content.decode()
    assert set(re.findall(r"\?kind=([a-z-]*)\"", page)) == {*find_dispute_policy("fort-worth").kinds, ""}
    said = {"kind": "arithmetic", "hand": 2, "in_time": "true", "counts_B": "3", "key": "k"}
    assert client.post(my_card_url(card, "what", 1), said).status_code == 302
    dispute = Dispute.objects.get()
    assert dispute.facts == {"in_time": True, "counts": {"B": 3}}
    before = load_card_state_by_pk(card.pk)
    made = ruled(dispute, hand=before.lines[1].line)
    assert (made.rule, made.ruling, made.overrules) == ("Fort Worth C 3", "correct", False)
    after = load_card_state_by_pk(card.pk)
    assert after.lines[1].line == {**before.lines[1].line, "counts": {"B": 3, "C": 7}}
    assert after.score.totals[1] == before.score.totals[1] - 10


def test_without_agreement_the_hand_is_thrown_in_and_no_line() -> None:
    card = a_game(2)
    facts = {"by": "B", "found": "after-next", "agreed": False}
    in_play = ruled(called(card, "play-error", hand=3, **facts))
    assert (in_play.rule, in_play.ruling, in_play.effects["sheet"]) == ("Fort Worth A 19", "new-deal", {})
    recorded = ruled(called(card, "play-error", hand=2, **facts))
    assert recorded.effects["sheet"]["did"] == "struck"
    assert len(load_card_state_by_pk(card.pk).lines) == 1


@pytest.mark.parametrize(
    ("kind", "facts", "rule", "ruling"),
    [
        ("discard-before-draw", {"by": "B"}, "Fort Worth A 10", "continue"),
        ("discard-before-draw", {}, "Fort Worth A 10", "continue"),
        ("play-error", {"found": "before-discard"}, "Fort Worth A 17", "continue"),
        ("play-error", {"found": "before-next"}, "Fort Worth A 18", "continue"),
        ("play-error", {"found": "after-next", "agreed": True}, "Fort Worth A 19", "continue"),
        ("wrong-deal", {"what": "exposed"}, "Fort Worth A 15", "new-deal"),
        ("wrong-deal", {"what": "misdeal"}, "Fort Worth A 16", "new-deal"),
        ("arithmetic", {"in_time": False}, "Fort Worth C 3", "stands"),
    ],
)
def test_each_paragraph_of_fort_worth(kind: str, facts: dict[str, Any], rule: str, ruling: str) -> None:
    made = ruled(called(a_game(1), kind, **facts))
    assert (made.rule, made.ruling, made.decider) == (rule, ruling, "director")


@pytest.mark.parametrize(
    ("totals", "keeper", "who"),
    [
        ({"A": 30, "B": 20}, "A", RulingDecider.TABLE),
        ({"A": 20, "B": 20}, "A", RulingDecider.SCOREKEEPER),
        ({"A": 10, "B": 20}, "A", RulingDecider.SCOREKEEPER),
        ({"A": 30, "B": 20}, "", RulingDecider.SCOREKEEPER),
        ({"A": 30}, "A", RulingDecider.SCOREKEEPER),
    ],
)
def test_the_scorekeeper_decides_unless_they_are_winning(
    totals: dict[str, int], keeper: str, who: RulingDecider
) -> None:
    assert find_dispute_policy("metzker").decider(GameStanding(totals=totals, keeper=keeper), "scoring") is who
    assert (
        find_dispute_policy("metzker").decider(GameStanding(totals=totals, keeper=keeper), "applied-differently")
        is RulingDecider.TABLE
    )
    assert (
        find_dispute_policy("gra-singles").decider(GameStanding(totals=totals, keeper=keeper), "scoring")
        is RulingDecider.DIRECTOR
    )


OF_THE_BOOK = ("metzker", "court-whist", "score-pad")


def test_the_book_holds_for_every_game_of_it_and_for_no_other() -> None:
    for rules in VARIANTS:
        policy = find_dispute_policy(rules)
        assert policy.can_be_refused is (rules in OF_THE_BOOK)
        assert ({"scoring", "applied-differently"} <= set(policy.kinds)) is (rules in OF_THE_BOOK)
        standing = GameStanding(totals={"A": 30, "B": 20}, keeper="A")
        expected = RulingDecider.TABLE if rules in OF_THE_BOOK else RulingDecider.DIRECTOR
        assert policy.decider(standing, "scoring") is expected


def test_where_low_wins_the_lowest_is_winning() -> None:
    low = GameStanding(totals={"A": 30, "B": 20, "C": 40}, keeper="B", low_wins=True)
    assert find_dispute_policy("metzker").decider(low, "scoring") is RulingDecider.TABLE
    high = GameStanding(totals={"A": 30, "B": 20, "C": 40}, keeper="C", low_wins=True)
    assert find_dispute_policy("metzker").decider(high, "scoring") is RulingDecider.SCOREKEEPER


@pytest.mark.parametrize("rules", VARIANTS)
def test_the_kinds_offered_are_those_of_the_game(rules: str) -> None:
    kinds = set(find_dispute_policy(rules).kinds)
    assert {"false-report", "unmatched-play", "gave-game-away", "conduct"} <= kinds
    two_sided = {"gra-singles", "gra-partnership", "standard", "oklahoma", "hollywood"}
    assert ("improper-knock" in kinds) is (rules in {*two_sided, "captain"})
    assert ("up-card" in kinds) is (rules in two_sided)
    assert ("false-gin" in kinds) is (rules in {*two_sided, "captain", "word-gin", "metzker"})


def test_every_game_that_a_kind_names_is_a_rule_set() -> None:
    named = {game for kind in IRREGULARITIES.values() for game in kind.games or ()}
    assert named <= set(VARIANTS)


def test_a_score_pad_offers_its_own_kinds_and_follows_its_scorekeeper(client: Client) -> None:
    card = a_table_card(FOUR, "score-pad", game="canadian-salad")
    page = client.get(my_card_url(card, "what")).content.decode()
    assert set(re.findall(r"\?kind=([a-z-]*)\"", page)) == {*find_dispute_policy("score-pad").kinds, ""}
    assert "knock" not in page.lower()
    assert client.get(my_card_url(card, "what") + "?kind=improper-knock").content.decode().count("Improper knock") == 0
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    points = {"A": 5, "B": 45, "C": 40, "D": 40}
    add_line(card, LineEntry({"points": points}), by=make_player_actor(card.entrants[0]))
    assert load_card_state_by_pk(card.pk).keeper_id == card.entrants[0].pk
    made = ruled(called(card, "scoring", stands=True))
    assert (made.rule, made.decider) == ("Metzker, Scoring", "table")
    everything = {"A": 120, "B": 0, "C": 0, "D": 0}
    add_line(card, LineEntry({"points": everything}, override="as written"), by=make_player_actor(card.entrants[0]))
    assert ruled(called(card, "scoring", stands=False)).decider == "scorekeeper"
    refusable = ruled(called(card, "applied-differently", by="A", unanimous=False))
    assert (refusable.rule, refusable.ruling, refusable.decider) == ("Metzker, Disputes", "allowed", "table")


def test_in_couples_the_points_of_open_games_say_who_is_winning() -> None:
    card = a_table_card(("Ada", "Alan"), "metzker")
    letters = load_card_state_by_pk(card.pk).letters
    results = [{"outcome": "gin", "by": letters[0], "counts": {letters[0]: 0, letters[1]: 30}}]
    add_line(card, LineEntry({"results": results}), by=desk_of(card))
    state = load_card_state_by_pk(card.pk)
    assert list(state.score.totals) == [0, 0]
    assert load_game_standing(state).totals == {letters[0]: 30, letters[1]: 0}


def test_in_court_whist_the_totals_of_all_cards_are_compared() -> None:
    event = a_whist_event()
    enter_all(event, (7, 8, 7, 6))
    hall = the_hall(event)
    for guest in hall.guests.values():
        totals = load_game_standing(load_card_state_by_pk(guest.state.card.pk)).totals
        assert sorted(totals.values()) == sorted(each.total for each in hall.guests.values())
        assert totals["A"] == guest.total


@pytest.fixture
@prebuilt
def couples() -> Event:
    return a_table_event(("Ada", "Bob", "Cleo", "Dan"), "metzker")


def test_a_dispute_of_the_score_is_ruled_as_the_scorekeeper_decided(couples: Event) -> None:
    made = ruled(called_at_desk(couples, "scoring", 1, 2, stands=True))
    assert (made.rule, made.ruling, made.decider) == ("Metzker, Scoring", "stands", "scorekeeper")
    conduct = called_at_desk(couples, "conduct", 1, by="A")
    assert ruled_otherwise(conduct, RulingDecision.WARNING, A=RulingDecision.WARNING).decider == "director"


@prebuilt
def applied(event: Event, unanimous: bool) -> Ruling:
    return ruled(called_at_desk(event, "applied-differently", 1, 2, by="A", unanimous=unanimous))


def test_the_kali_effect_is_recorded_with_the_earlier_ruling(couples: Event, client: Client) -> None:
    first, second = applied(couples, unanimous=False), applied(couples, unanimous=True)
    assert (first.ruling, second.ruling) == ("allowed", "refused")
    who = couples.entrants.get(number=1)
    director = a_user("director", couples.tournament)
    client.force_login(director)
    page = client.get(event_url("scoring:desk_ruling", couples, dispute=second.dispute_id))
    assert "applied differently before" in page.content.decode()
    url = event_url("scoring:desk_refuse_ruling", couples, dispute=second.dispute_id)
    client.post(url, {"side": "A", "precedent": first.number, "reason": "Bob was let off"})
    refused = RulingRefused.objects.get()
    assert (refused.ruling, refused.precedent, refused.entrant) == (second, first, who)
    state = load_dispute(couples, first.dispute_id)
    assert second not in [each["ruling"] for each in load_precedents(state, None)]
    register = reverse("scoring:public_ruling", kwargs={"tournament": couples.tournament.slug, "number": second.number})
    assert "Refused and not applied" in client.get(register).content.decode()
    with pytest.raises(Conflict, match="already"):
        record_ruling_refusal(second, first, by=make_staff_actor(director), entrant=who, reason="again")


def test_a_ruling_is_refused_only_by_one_that_decided_otherwise_and_where_the_rules_know_it(couples: Event) -> None:
    first, same = applied(couples, unanimous=True), applied(couples, unanimous=True)
    who = couples.entrants.get(number=1)
    for precedent in (same, first):
        with pytest.raises(DomainError, match="earlier ruling"):
            record_ruling_refusal(same, precedent, by=SYSTEM_ACTOR, entrant=who, reason="I say so")
    with pytest.raises(DomainError, match="applied before"):
        record_ruling_refusal(same, first, by=SYSTEM_ACTOR, entrant=who, reason=" ")
    other = a_table_event(("Ada", "Bob"), "gra-singles")
    one = ruled(called_at_desk(other, "retake-discard", 1, 2, by="A", to_knock=True))
    two = ruled(called_at_desk(other, "retake-discard", 1, 2, by="A", to_knock=False))
    with pytest.raises(DomainError, match="Record an appeal"):
        record_ruling_refusal(two, one, by=SYSTEM_ACTOR, entrant=other.entrants.get(number=1), reason="then otherwise")
    stranger = couples.entrants.get(number=4)
    otherwise = applied(couples, unanimous=False)
    with pytest.raises(NotAllowed):
        record_ruling_refusal(otherwise, first, by=SYSTEM_ACTOR, entrant=stranger, reason="me too")


def test_the_policy_stands_on_the_rule_sheet(client: Client, couples: Event) -> None:
    assert "Kali effect" in client.get(event_url("scoring:rules", couples)).content.decode()
    assert "A 17 to 19" in client.get(reverse("scoring:rule_set", kwargs={"rules": "fort-worth"})).content.decode()


@pytest.mark.parametrize(("announced", "hand", "in_time"), [(False, 2, True), (True, 2, False), (True, 6, True)])
def test_the_record_says_whether_an_error_was_found_in_time(announced: bool, hand: int, in_time: bool) -> None:
    card = a_game(5)
    if announced:
        announce_totals(card, by=make_player_actor(card.entrants[0]))
    state = load_dispute(card.match.event, called(card, "arithmetic", hand=hand, counts={"B": 3}).pk)
    assert find_recorded_facts(state, load_dispute_record(state), state.irregularity)["in_time"] is in_time
