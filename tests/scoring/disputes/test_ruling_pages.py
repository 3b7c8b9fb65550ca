from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.disputes.selectors.disputes import load_dispute
from scoring.disputes.selectors.rulings import load_penalties
from scoring.disputes.services.appeals import record_appeal, set_committee
from scoring.models import Appeal, Card, Dispute, DisputeFacts, Ruling, UpCard
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import SheetEffect
from tests.factories import an_entrant, an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import called, called_at_desk, ruled, ruled_otherwise
from tests.scoring.helpers.playing import an_event_in_play, gin, knock, play, sign_both, the_card
from tests.scoring.helpers.tables import a_table_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    return an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"))


@pytest.fixture
@prebuilt
def card(event: Event) -> Card:
    card = the_card(event)
    play(card, knock("A", 5, 20))
    return card


def of(dispute: Dispute, name: str = "desk_ruling") -> str:
    return event_url(f"scoring:{name}", dispute.event, dispute=dispute.pk)


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def sent(dispute: Dispute, **fields: Any) -> dict[str, Any]:
    return {"kind": dispute.kind, "which_hand": "", "chosen": "", "own": "", "reason": "", "key": "k", **fields}


KNOCK = {"by": "A", "up": "9H", "count": "10", "opponent_count": "7"}


def test_the_oldest_waits_on_top(event: Event, card: Card) -> None:
    first, second = called(card, "touched-pile", by="A"), called(the_card(event, "R1M2"), "drew-two", by="B")
    done = called_at_desk(event, "conduct", 2, by="A")
    ruled(done, chosen="warning")
    page = text_of(client_as("director", event).get(event_url("scoring:desk_rulings", event)))
    assert page.index(of(first)) < page.index(of(second)) < page.index(of(done))
    assert "Two cards drawn" in page and "Barbara – Cleo" in page


def test_a_preview_leaves_no_count_of_what_waits_in_the_menu(event: Event, card: Card) -> None:
    """The preview of a ruling is rolled back, so the menu must not show a count that was cached during the preview."""
    dispute = called(card, "touched-pile", by="A")
    client = client_as("director", event)
    assert "Make this ruling" in text_of(client.get(of(dispute)))
    ruled(dispute)
    menu = (
        text_of(client.get(event_url("scoring:desk_rulings", event)))
        .partition('id="desk-nav"')[2]
        .partition("</nav>")[0]
    )
    assert "Rulings" in menu and "waiting" not in menu


def test_the_queue_takes_as_many_questions_for_one_as_for_three(event: Event, django_assert_num_queries: Any) -> None:
    client = client_as("director", event)
    for kind in ("touched-pile", "drew-two", "wrong-card-down"):
        called(the_card(event), kind, by="A")
        client.get(event_url("scoring:desk_rulings", event))
        with django_assert_num_queries(14):
            client.get(event_url("scoring:desk_rulings", event))


def test_how_many_wait_stands_in_the_navigation_and_on_the_page_of_today(event: Event, card: Card) -> None:
    called(card, "touched-pile", by="A")
    called(card, "drew-two", by="A")
    page = text_of(client_as("director", event).get(event_url("scoring:desk_today", event)))
    assert "2 disputes need a ruling" in page
    assert '<span class="count">2<' in page


def test_the_form_is_filled_from_the_record_and_the_rules_answer(event: Event, card: Card) -> None:
    UpCard.objects.create(card=card, hand=2, up="9H", entrant=card.entrants[1], by_name="Alan")
    dispute = called(card, "improper-knock", hand=2, by="A", count=10)
    page = text_of(client_as("director", event).get(of(dispute)))
    assert 'value="9H"' in page and "turned" in page
    assert "Singles rule 9" in page and "Alan may accept the knock" in page
    assert "Make this ruling" not in page, "it is the opponent’s choice first"


@pytest.mark.parametrize(
    ("rules", "kind", "options"),
    [("score-pad", "scoring", {"game": "hearts"}), ("fort-worth", "arithmetic", {}), ("metzker", "scoring", {})],
)
def test_a_game_without_an_up_card_has_none_on_record(rules: str, kind: str, options: dict[str, str]) -> None:
    dispute = called(a_table_card(("Ada", "Alan", "Grace")[: 2 if rules == "metzker" else 3], rules, **options), kind)
    page = text_of(client_as("director", dispute.event).get(of(dispute)))
    assert "On record" in page and "Up card" not in page


def test_an_up_card_that_nobody_recorded_is_said_to_be_missing(card: Card) -> None:
    page = text_of(client_as("director", card.match.event).get(of(called(card, "improper-knock", hand=2))))
    assert re.search(r"<dt>Up card</dt><dd>\s*not recorded", page)


def test_a_warning_for_conduct_is_not_said_to_be_otherwise_than_the_rules(event: Event, card: Card) -> None:
    dispute, client = called(card, "conduct", by="A"), client_as("director", event)
    said = sent(dispute, by="A", own="warning", reason="Loud talk", penalty_A="warning")
    page = text_of(client.post(of(dispute), {**said, "act": "look"}))
    assert "Make this ruling" in page and "different from the rules" not in page
    shown = page.partition('name="shown" value="')[2].partition('"')[0]
    page = text_of(client.post(of(dispute), {**said, "act": "do", "shown": shown}, follow=True))
    assert "The director rules: warning." in page and "Different from the rules" not in page


def test_a_warning_to_the_table_is_ruled_at_the_desk(event: Event, card: Card) -> None:
    dispute, client = called(card, "conduct"), client_as("director", event)
    page = text_of(client.post(of(dispute), sent(dispute, own="warning", reason="Loud talk", act="look")))
    assert "a warning to the table. Nobody is named." in page and "Choose who gets" not in page


def test_a_ruling_in_three_clicks(event: Event, card: Card) -> None:
    dispute = called(card, "improper-knock", hand=2)
    client = client_as("director", event)
    asked = client.post(of(dispute), sent(dispute, **KNOCK, act="look"), headers={"HX-Request": "true"})
    assert 'value="accept"' in text_of(asked) and "<html" not in text_of(asked)
    looked = client.post(of(dispute), sent(dispute, **KNOCK, chosen="accept", act="look"))
    page = text_of(looked)
    assert "15–0" in page and "15–28" in page
    assert not dispute.rulings.exists()
    shown = page.partition('name="shown" value="')[2].partition('"')[0]
    done = client.post(of(dispute), sent(dispute, **KNOCK, chosen="accept", act="do", shown=shown), follow=True)
    assert "Ruling 1" in text_of(done)
    assert load_card_state_by_pk(card.pk).score.totals == (15, 28)
    assert load_dispute(event, dispute.pk).facts["chosen"] == "accept"
    assert load_dispute(event, dispute.pk).hand == 2


def test_what_was_not_shown_is_not_done(event: Event, card: Card) -> None:
    dispute = called(card, "improper-knock", hand=2)
    answer = client_as("director", event).post(
        of(dispute), sent(dispute, **KNOCK, chosen="accept", act="do", shown="x")
    )
    assert answer.status_code == 422
    assert "Read the changes again" in text_of(answer)
    assert not Ruling.objects.exists()


def test_an_uncovered_knock_is_opened_on_the_spot(event: Event, card: Card) -> None:
    dispute = called(card, "up-card")
    client = client_as("director", event)
    said = sent(dispute, which_hand="1", recorded="4H", act="look")
    page = text_of(client.post(of(dispute), said))
    assert "also opens the improper knock" in page
    shown = page.partition('name="shown" value="')[2].partition('"')[0]
    page = text_of(client.post(of(dispute), {**said, "act": "do", "shown": shown}, follow=True))
    assert "Improper knock" in page and "its facts are filled in" in page
    assert "Singles rule 9" in page and "20 and cannot accept it" in page
    assert [each.kind for each in Dispute.objects.all()] == ["up-card", "improper-knock"]


def test_a_ruling_of_their_own_needs_a_reason(event: Event, card: Card) -> None:
    dispute = called(card, "touched-pile", by="A", hand=1)
    client = client_as("director", event)
    own = sent(dispute, by="A", which_hand="1", own="warning", sheet="nothing", penalty_A="warning", act="look")
    assert "Write why you rule differently" in text_of(client.post(of(dispute), own))
    page = text_of(client.post(of(dispute), {**own, "reason": "third time today"}))
    assert "different from the rules" in page
    shown = page.partition('name="shown" value="')[2].partition('"')[0]
    client.post(of(dispute), {**own, "reason": "third time today", "act": "do", "shown": shown})
    made = Ruling.objects.get()
    assert (made.overrules, made.reason, made.penalties.get().entrant.name) == (True, "third time today", "Ada")
    assert "Different from the rules" in text_of(client.get(of(dispute)))


def test_conduct_is_about_no_hand_of_the_card(event: Event, card: Card) -> None:
    dispute = called(card, "conduct", by="A")
    client = client_as("director", event)
    assert "Which hand?" not in text_of(client.get(of(dispute)))
    client.post(of(dispute), sent(dispute, by="A", chosen="warning", which_hand="", act="facts"))
    assert load_dispute(event, dispute.pk).hand is None


def test_the_desk_records_facts_and_a_director_rules(event: Event, card: Card) -> None:
    dispute = called(card, "improper-knock", hand=2)
    desk = client_as("desk", event)
    desk.post(of(dispute), sent(dispute, **KNOCK, act="facts"))
    assert DisputeFacts.objects.get().facts == {"by": "A", "up": "9H", "count": 10, "opponent_count": 7}
    page = text_of(desk.get(of(dispute)))
    assert "Only a director can make the ruling." in page and "Make this ruling" not in page
    refused = desk.post(of(dispute), sent(dispute, **KNOCK, chosen="accept", act="do", shown="x"))
    assert refused.status_code == 422
    assert not Ruling.objects.exists()


def test_a_call_without_a_kind_asks_for_it_first(event: Event, card: Card) -> None:
    dispute = called(card, "")
    client = client_as("director", event)
    assert "?kind=improper-knock" in text_of(client.get(of(dispute)))
    page = text_of(client.get(of(dispute) + "?kind=touched-pile"))
    assert "Who did it?" in page and "Singles rule 5" in page


def test_a_matter_without_a_card_is_opened_for_two(event: Event) -> None:
    client = client_as("desk", event)
    page = event_url("scoring:desk_open_ruling", event)
    offered = re.findall(r'<option value="([a-z-]+)"', client.get(page).content.decode())
    assert offered[:4] == ["false-report", "unmatched-play", "gave-game-away", "conduct"]
    pks = {number: event.entrants.get(number=number).pk for number in (1, 3)}
    alone = {"kind": "unmatched-play", "one": pks[1], "key": "a"}
    assert client.post(page, alone).status_code == 422
    client.post(page, {**alone, "other": pks[3], "about": "seen at table 9"})
    dispute = Dispute.objects.get()
    assert (dispute.entries, dispute.card, dispute.about) == ([1, 3], None, "seen at table 9")
    assert "Ada and Barbara played without having been matched" in text_of(client.get(of(dispute)))


def test_a_false_report_of_two_is_about_their_match(event: Event, card: Card) -> None:
    pks = {number: event.entrants.get(number=number).pk for number in (1, 2)}
    said = {"kind": "false-report", "one": pks[1], "other": pks[2], "key": "a"}
    client_as("director", event).post(event_url("scoring:desk_open_ruling", event), said)
    assert Dispute.objects.get().match == card.match


def test_the_committee_decides_an_appeal(event: Event, card: Card) -> None:
    client = client_as("director", event)
    client.post(event_url("scoring:desk_committee", event), {"names": "Olga\nPaul", "key": "c"})
    dispute = called(card, "improper-knock", hand=1, by="A", up="4H", count=5, opponent_count=4, chosen="accept")
    ruled(dispute)
    client.post(of(dispute, "desk_appeal"), {"appeal-side": "A", "appeal-reason": "It was red", "appeal-key": "k"})
    assert Appeal.objects.get().entrant == card.entrants[0]
    assert "Appeal against ruling 1" in text_of(client.get(event_url("scoring:desk_rulings", event)))
    page = text_of(client.get(of(dispute)))
    assert "It was red" in page and "The ruling stands" in page
    said = sent(dispute, by="A", up="4H", count="5", opponent_count="4", chosen="accept", which_hand="1", act="upheld")
    assert client.post(of(dispute), said).status_code == 422, "nobody has decided, and not said why"
    client.post(of(dispute), {**said, "members": ["Olga"], "reason": "Nothing new"})
    assert "The committee upheld it" in text_of(client.get(of(dispute)))


def test_the_committee_changes_a_ruling_as_it_was_shown(event: Event, card: Card) -> None:
    set_committee(event, ["Olga"], by=SYSTEM_ACTOR)
    dispute = called(card, "improper-knock", hand=1, by="A", up="4H", count=5, opponent_count=4, chosen="accept")
    record_appeal(ruled(dispute), by=make_player_actor(card.entrants[0]), reason="It was the five")
    client = client_as("director", event)
    said = sent(
        dispute, by="A", up="5H", count="5", opponent_count="20", which_hand="1", members=["Olga"], reason="Photo"
    )
    page = text_of(client.post(of(dispute), {**said, "act": "look"}))
    assert "0–26" in page and "15–0" in page
    assert "Change the ruling" in page and "The ruling stands" in page
    shown = page.partition('name="shown" value="')[2].partition('"')[0]
    client.post(of(dispute), {**said, "act": "do", "shown": shown})
    assert load_card_state_by_pk(card.pk).score.totals == (15, 0)
    assert "changed on appeal" in text_of(client.get(of(dispute)))


def test_an_appeal_about_the_up_card_is_about_the_hand_as_it_was_played(event: Event, card: Card) -> None:
    set_committee(event, ["Olga"], by=SYSTEM_ACTOR)
    dispute = called(card, "up-card", hand=1, recorded="9H")
    made = ruled_otherwise(
        dispute,
        RulingDecision.SCORED,
        sheet=SheetEffect.LINE,
        line={"up": "9H", "outcome": "points", "to": "B", "points": 9},
    )
    record_appeal(made, by=make_player_actor(card.entrants[0]), reason="I knocked")
    client = client_as("director", event)
    assert "15 points to Ada" in text_of(client.get(of(dispute)))
    said = sent(dispute, which_hand="1", recorded="9H", members=["Olga"], reason="So it was", act="look")
    page = text_of(client.post(of(dispute), said))
    assert "15 points to Ada" in page and "0–9" in page and "15–0" in page


def test_what_was_signed_and_who_was_warned_stands_beside_it(event: Event) -> None:
    card = the_card(event)
    play(card, gin("A", 20, "8H"), gin("A", 21, "9C"))
    sign_both(card)
    ruled(called(card, "conduct", by="B"), chosen="warning")
    page = text_of(client_as("director", event).get(of(called(card, "conduct", by="B"))))
    assert "Alan has:" in page
    assert page.count("<dt>Signed</dt>") == 2
    assert "after 1 warning" in page


def test_a_penalty_is_lifted_by_a_director(event: Event) -> None:
    dispute = called_at_desk(event, "conduct", 2, by="A")
    penalty = ruled(dispute, chosen="warning").penalties.get()
    said = {"act": "lift", "penalty": penalty.pk, "reason": "It was somebody else"}
    assert client_as("desk", event).post(of(dispute), said).status_code == 403
    client = client_as("director", event)
    assert "Lift a penalty" in text_of(client.get(of(dispute)))
    assert "lifted for later events" in text_of(client.post(of(dispute), said, follow=True))
    assert "Lift a penalty" not in text_of(client.get(of(dispute)))
    assert load_penalties([event.entrants.get(number=2)]) == {}


def test_a_call_that_needs_no_ruling_is_taken_off_the_list(event: Event, card: Card) -> None:
    dispute = called(card, "touched-pile", by="A")
    client = client_as("desk", event)
    client.post(of(dispute, "desk_drop_dispute"), {"drop-reason": "They agreed", "drop-key": "k"})
    page = text_of(client.get(event_url("scoring:desk_rulings", event)))
    assert "No disputes are waiting" in page and "They agreed" in page


@pytest.mark.parametrize("name", ["desk_rulings", "desk_open_ruling", "desk_committee"])
def test_only_the_desk_comes_in(event: Event, name: str) -> None:
    assert Client().get(event_url(f"scoring:{name}", event)).status_code == 302
    assert client_as("hotel", event).get(event_url(f"scoring:{name}", event)).status_code == 403


def test_who_was_warned_is_named_where_people_are_met(event: Event) -> None:
    ruled(called_at_desk(event, "conduct", 2, by="A"), chosen="warning")
    later = an_event(event.tournament)
    an_entrant(later, "Somebody else")
    again = an_entrant(later, player=event.entrants.get(number=2).members.get().player)
    client, place = client_as("director", event), {"tournament": event.tournament.slug, "event": later.slug}
    for name, more in (("desk_checkin", {}), ("desk_entrant", {"number": again.number})):
        page = text_of(client.get(reverse(f"tournament:{name}", kwargs={**place, **more})))
        assert page.count("Penalized before:") + page.count("1 player was penalized before") == 1
        assert "Warning (Conduct, Desert Classic, Singles" in " ".join(page.split())
    other = reverse("tournament:desk_entrant", kwargs={**place, "number": 1})
    assert "Penalized before:" not in text_of(client.get(other))
