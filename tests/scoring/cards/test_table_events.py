"""Whole events with rounds at tables are played from the choice of a format to the payouts."""

from __future__ import annotations

import io
import re
from collections import Counter
from itertools import combinations

import pytest
from django.test import Client
from django.utils.html import strip_tags
from pypdf import PdfReader

from pairing.draws.stages.plan import StageKind
from pairing.models import MatchResult, TableCall
from pairing.results.services.finish import finish_event
from pairing.results.services.results import remove_entrant
from pairing.stages.services.tables import seat_next_round, take_back_seating
from scoring.cards.services.hands import LineEntry, add_line
from scoring.models import Card
from scoring.posting.services.opening import begin_round, start_play
from scoring.prints.pdf.prints import PrintRequest, list_printouts
from scoring.today.selectors.today import load_next_stage_step
from tests.kit import client_as, desk_url, fresh
from tests.scoring.helpers.table_events import (
    a_posted_table_event,
    a_table_event_in_play,
    next_round,
    open_cards,
    play_captain,
    play_fort_worth,
    sign_all,
    the_hall,
)
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_payout
from tournament.money.services.payouts import pay_prize

pytestmark = pytest.mark.django_db

FORT_WORTH = {"size": 4, "rounds": 2}
CAPTAIN = {"size": 3, "full": True, "rounds": 2}


def test_fort_worth_of_nine_over_two_rounds_from_the_draft_to_the_payouts() -> None:
    event = a_table_event_in_play(9, "fort-worth", FORT_WORTH, length="very-short")
    assert [card.seats.count() for card in open_cards(event)] == [3, 3, 3]
    assert list(TableCall.objects.order_by("table").values_list("table", flat=True)) == [1, 2, 3]
    for turn, card in enumerate(open_cards(event)):
        assert play_fort_worth(card, {"B": 10 + turn, "C": 20 + turn}).is_complete
        assert sign_all(card).is_posted
    door = load_next_stage_step(fresh(event))
    assert door is not None
    assert door.label == "Pair round 2"
    first = {frozenset(pair) for t in the_hall(event).rounds.rounds[0].tables for pair in combinations(t.entries, 2)}
    next_round(event)
    second = {frozenset(pair) for t in the_hall(event).rounds.rounds[1].tables for pair in combinations(t.entries, 2)}
    assert not first & second
    for card in open_cards(event):
        play_fort_worth(card, {"B": 30, "C": 40})
        sign_all(card)
    hall = the_hall(event)
    assert hall.rounds.is_complete
    totals = Counter[int]()
    for result in MatchResult.objects.all():
        totals.update({int(number): points for number, points in result.score.items()})
    assert [one.total for one in hall.standings] == sorted(totals.values())
    assert {one.entry: one.total for one in hall.standings} == totals
    finish_event(event, by=SYSTEM_ACTOR)
    payout = load_payout(fresh(event))
    assert payout is not None
    first_place = {one.entry for one in hall.standings if one.place == 1}
    assert {award.entry for award in payout.awards if award.placing.place == 1} == first_place
    for award in payout.awards:
        assert pay_prize(event.entrants.get(number=award.entry), "cash", by=SYSTEM_ACTOR).cents == award.cents
    assert [check.subject for check in verify_event(fresh(event)) if not check.passed] == []


def test_captain_of_six_sits_at_tables_of_three_and_high_wins() -> None:
    event = a_table_event_in_play(6, "captain", CAPTAIN, target=30)
    for turn, card in enumerate(open_cards(event)):
        assert [seat.name for seat in card.seats.all()] == [who.name for who in card.entrants]
        assert play_captain(card, 20 + 10 * turn).is_complete
        sign_all(card)
    next_round(event)
    assert [len(table.entries) for table in the_hall(event).rounds.rounds[1].tables] == [3, 3]
    for card in open_cards(event):
        play_captain(card, 25)
        sign_all(card)
    hall = the_hall(event)
    totals = [one.total for one in hall.standings]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > 0
    finish_event(event, by=SYSTEM_ACTOR)
    payout = load_payout(fresh(event))
    assert payout is not None
    assert sum(award.cents for award in payout.awards) == sum(payout.places_cents)
    assert [check.subject for check in verify_event(fresh(event)) if not check.passed] == []


def test_equal_totals_share_a_place_and_what_it_is_worth() -> None:
    event = a_table_event_in_play(6, "fort-worth", {"size": 3, "rounds": 1}, length="very-short")
    for card in open_cards(event):
        play_fort_worth(card, {"B": 10, "C": 20})
        sign_all(card)
    finish_event(event, by=SYSTEM_ACTOR)
    payout = load_payout(fresh(event))
    assert payout is not None
    assert [str(award.placing) for award in payout.awards] == ["1–2", "1–2", "3–4", "3–4"]
    assert payout.awards[0].cents == payout.awards[1].cents


def test_rules_that_are_not_for_such_tables_are_refused_before_the_draw_is_posted() -> None:
    with pytest.raises(Conflict, match="table of 4, and Captain, three-handed gin is for 3"):
        a_posted_table_event(8, "captain", {"size": 4})


@pytest.mark.parametrize(("rules", "fits"), [("metzker", "teams"), ("court-whist", "1"), ("gra-singles", "2")])
def test_rules_of_teams_or_of_one_or_two_are_not_for_tables_of_four(rules: str, fits: str) -> None:
    with pytest.raises(Conflict, match=f"is for {fits}"):
        a_posted_table_event(8, rules, {"size": 4})


def test_who_goes_out_before_the_first_hand_is_not_on_the_card_of_the_rest() -> None:
    event = a_posted_table_event(8, "fort-worth", {"size": 4}, length="very-short")
    gone = event.entrants.get(number=the_hall(event).rounds.rounds[0].tables[0].entries[1])
    remove_entrant(gone, "no-show", by=SYSTEM_ACTOR, reason="not here at nine")
    start_play(event, by=SYSTEM_ACTOR)
    sizes = [card.seats.count() for card in open_cards(event)]
    assert sizes == [3, 4]
    card = open_cards(event)[0]
    play_fort_worth(card, {"B": 10, "C": 20})
    assert sign_all(card).is_posted
    table = the_hall(event).rounds.rounds[0].tables[0]
    assert table.is_decided
    assert gone.number not in table.points


def test_who_goes_out_after_the_first_hand_stays_on_the_card() -> None:
    event = a_table_event_in_play(8, "fort-worth", {"size": 4}, length="very-short")
    card = open_cards(event)[0]
    play_fort_worth(card, {"B": 10, "C": 20, "D": 30}, hands=1)
    remove_entrant(card.entrants[2], "withdrawn", by=SYSTEM_ACTOR, reason="unwell")
    assert [card.seats.count() for card in open_cards(event)] == [4, 4]
    line = {"by": "A", "counts": {"B": 5, "C": 5, "D": 5}}
    assert len(add_line(card, LineEntry(line, override="yes"), by=make_player_actor(card.entrants[0])).lines) == 2


def test_a_posted_card_leads_to_the_next_match_only_when_a_round_is_posted() -> None:
    event = a_table_event_in_play(3, "captain", CAPTAIN, target=30)
    card = open_cards(event)[0]
    play_captain(card, 40)
    sign_all(card)
    who = card.seats.order_by("position")[0].entrant
    path = f"/my/{who.token}/card/{card.token}/"
    assert "Go to my matches" in Client().get(path).content.decode()
    next_round(event)
    assert "Go to my next match" in Client().get(path).content.decode()


def test_points_below_nothing_have_one_minus_sign_on_every_page() -> None:
    event = a_table_event_in_play(3, "fort-worth", {"size": 3, "rounds": 2}, length="very-short")
    card = open_cards(event)[0]
    play_fort_worth(card, {"B": 10, "C": 20})
    sign_all(card)
    slugs = f"{event.tournament.slug}/{event.slug}"
    who = card.entrants[0]
    paths = [f"/t/{slugs}/card/{card.token}/", f"/t/{slugs}/standings/", f"/my/{who.token}/card/{card.token}/"]
    for path in paths:
        page = re.sub(r"<pre.*?</pre>", "", Client().get(path).content.decode(), flags=re.DOTALL)
        shown = strip_tags(page)
        assert re.search(r"−\d", shown), path
        assert not re.search(r"(?<![\w–-])-\d", shown), path


def test_a_captain_table_of_two_has_no_card_and_holds_nobody_up() -> None:
    event = a_posted_table_event(6, "captain", CAPTAIN, target=30)
    gone = event.entrants.get(number=the_hall(event).rounds.rounds[0].tables[0].entries[0])
    remove_entrant(gone, "no-show", by=SYSTEM_ACTOR, reason="not here")
    start_play(event, by=SYSTEM_ACTOR)
    assert [card.match.ident for card in open_cards(event)] == ["R1T2"]


def test_no_card_is_written_after_its_seating_was_taken_back() -> None:
    event = a_table_event_in_play(8, "fort-worth", {"size": 4, "rounds": 2}, length="very-short")
    old = open_cards(event)[0]
    take_back_seating(event, by=SYSTEM_ACTOR, reason="a pair asked to be apart")
    seat_next_round(fresh(event), by=SYSTEM_ACTOR)
    begin_round(fresh(event), by=SYSTEM_ACTOR)
    assert [card.match.ident for card in open_cards(event)] == ["R1T1-2", "R1T2-2"]
    assert Card.objects.filter(match__event=event).count() == 4
    with pytest.raises(Conflict, match="table assignments of this score card were undone"):
        play_fort_worth(old, {"B": 10, "C": 20, "D": 30}, hands=1)


def test_start_play_opens_cards_by_the_rules_in_force_and_counts_low_where_they_say_so() -> None:
    event = a_posted_table_event(4, "score-pad", {"size": 4})
    assert event.state == Event.State.DRAWN
    start_play(event, by=SYSTEM_ACTOR)
    assert the_hall(event).rounds.low_wins == event.rules_at_tables.latest("pk").low_wins


def test_a_round_is_posted_with_its_cards_and_every_player_finds_their_table() -> None:
    event = a_table_event_in_play(7, "captain", CAPTAIN, target=30)
    who = event.entrants.get(number=the_hall(event).rounds.rounds[0].tables[0].entries[0])
    resting = event.entrants.get(number=the_hall(event).rounds.rounds[0].sits_out[0])
    assert "Enter hand 1" in page_of(who) or "low card" in page_of(who)
    assert "You sit this round out" in page_of(resting)
    for card in open_cards(event):
        play_captain(card, 20)
        sign_all(card)
    assert "Your table is finished" in page_of(who)
    assert "with 45 points" in page_of(who)
    seat_next_round(event, by=SYSTEM_ACTOR)
    client = client_as("director", event)
    for _twice in range(2):
        answer = client.post(desk_url(event, "begin-round/"), {"key": "seating-2"})
        assert answer.status_code == 302
    assert [card.seats.count() for card in open_cards(event)] == [3, 3]
    assert resting.number in {who.number for card in open_cards(event) for who in card.entrants}


def test_before_play_a_player_reads_their_table_and_who_sits_there() -> None:
    event = a_posted_table_event(6, "captain", CAPTAIN)
    one, other, third = the_hall(event).rounds.rounds[0].tables[1].entries
    found = page_of(event.entrants.get(number=one))
    assert "Round 1: at your table" in found
    assert all(event.entrants.get(number=number).name in found for number in (other, third))
    assert '<span class="table-ring-number">2</span>' in found


def test_the_printed_list_has_everybody_once_with_those_who_sit_there_and_no_bracket() -> None:
    event = a_table_event_in_play(9, "fort-worth", FORT_WORTH)
    order = PrintRequest(event=event, paper="a4", count=1, site="http://hall")
    pages = PdfReader(io.BytesIO(list_printouts(StageKind)["pairings"][1](order, lambda done, whole: None))).pages
    text = "".join(page.extract_text() for page in pages)
    assert all(text.count(f" {who.name}") + text.count(f"\n{who.name}") >= 3 for who in event.entrants.all())
    with pytest.raises(Conflict, match="has no bracket"):
        list_printouts(StageKind)["bracket-poster"][1](order, lambda done, whole: None)


def page_of(who: Entrant) -> str:
    answer = Client().get(f"/my/{who.token}/match/")
    assert answer.status_code == 200
    return answer.content.decode()
