"""Test a score card whose two players no longer meet in its match, because an earlier result was corrected."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import CardStatusKind, ResultCause
from pairing.results.pages import make_effects_context
from pairing.results.services.corrections import EventPreview
from pairing.results.services.results import MatchDecision, decide_match
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_seated_match
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card
from scoring.posting.selectors.card_list import load_desk_cards
from scoring.posting.selectors.card_status import load_card_status
from scoring.posting.selectors.results import load_started_matches
from scoring.posting.services.opening import get_or_open_card
from tests.kit import client_as, event_url, fresh, page_text
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import (
    an_event_in_play,
    cut_for,
    gin,
    play,
    play_out,
    post,
    sign,
    sign_both,
    the_card,
    the_director,
)
from tests.scoring.helpers.superseded import FOUR, bad_lines, page
from tests.scoring.helpers.table_events import a_table_event_in_play, open_cards, play_fort_worth, sign_all
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.registration.services.entries import substitute_player
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db
APART = "These two no longer meet in this match."


def decided(event: Event, ident: str, winner: int, cause: ResultCause = ResultCause.WALK_OVER, **points: int) -> None:
    won = event.entrants.get(number=winner)
    said = MatchDecision(
        match=the_card(event, ident).match, winner=won, cause=cause, reason="The wrong player went on", override=True
    )
    decide_match(said, by=the_director(event))


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return an event in which Ada and Grace have won their first matches, and the card of their final is open."""
    event = an_event_in_play(FOUR)
    post(the_card(event, "R1M1"))
    post(the_card(event, "R1M2"))
    the_card(event, "R2M1")
    return event


def phone_of(event: Event, number: int, card: Card) -> str:
    who = Entrant.objects.get(event=event, number=number)
    return page_text(
        client_as("director", event).get(reverse("scoring:my_card", kwargs={"token": who.token, "card": card.token}))
    )


@pytest.mark.parametrize("begun", [False, True])
def test_it_says_at_once_that_others_meet_there_and_takes_nothing(event: Event, begun: bool) -> None:
    card = the_card(event, "R2M1")
    if begun:
        play(card, gin("A", 20))
    decided(event, "R1M1", 2)
    status = load_card_status(load_card_state_by_pk(card.pk))
    assert (status.kind, status.players, status.is_locked) == (CardStatusKind.VOID, ("Alan", "Grace"), True)
    assert status.superseding_action is not None and status.superseding_action[2] == "The wrong player went on"
    shown = page_text(page(event, "scoring:card", token=card.token))
    assert f"Void. {APART}" in shown and "Alan – Grace meet in this match" in shown
    assert "Reason: The wrong player went on." in shown
    assert (APART in page(event, "pairing:match", ident="R2M1")) is begun
    phone = phone_of(event, 1, card)
    assert APART in phone and "Who cut" not in phone and "Enter" not in phone and "Check and sign" not in phone
    with pytest.raises(Conflict, match="no longer meet in this match"):
        add_line(card, LineEntry(gin("A", 20)), by=SYSTEM_ACTOR)
    listed = load_desk_cards(fresh(event), "", card.opened_at)
    assert card.pk not in [one.state.card.pk for one in listed]
    assert bad_lines(event) == []


def test_complete_and_signed_by_one_it_takes_no_second_signature(event: Event) -> None:
    card = the_card(event, "R2M1")
    play_out(card)
    sign(card, card.entrants[0])
    decided(event, "R1M1", 2)
    state = load_card_state_by_pk(card.pk)
    other = card.entrants[1]
    with pytest.raises(Conflict, match="no longer meet"):
        sign_by_code(card, other.sign_code, SigningContext(state.digest), by=make_player_actor(other))
    assert APART in phone_of(event, 3, card) and "Superseded" not in page(event, "scoring:card", token=card.token)


def test_signed_by_all_it_is_superseded_by_who_sent_the_others(event: Event) -> None:
    card = the_card(event, "R2M1")
    post(card)
    decided(event, "R1M1", 2)
    status = load_card_status(load_card_state_by_pk(card.pk))
    assert status.kind is CardStatusKind.SUPERSEDED and status.superseding_action is not None
    assert status.superseding_action[2] == "The wrong player went on"


def test_where_they_meet_after_all_it_is_a_card_like_another(event: Event) -> None:
    card = the_card(event, "R2M1")
    play(card, gin("A", 20))
    decided(event, "R1M1", 2)
    decided(event, "R1M1", 1)
    assert load_card_status(load_card_state_by_pk(card.pk)).kind is CardStatusKind.NOTHING
    add_line(card, LineEntry(gin("A", 21, "9C")), by=SYSTEM_ACTOR)
    assert load_card_state_by_pk(card.pk).is_complete


def make_void(event: Event, ident: str, **choices: LaterMatchChoice) -> None:
    said = MatchDecision(
        match=event.matches.select_related("event__tournament").get(ident=ident),
        winner=None,
        cause=ResultCause.VOID,
        reason="A short deck",
        override=True,
        later_match_choices=choices,
    )
    decide_match(said, by=the_director(event))


def test_a_void_card_says_who_meets_in_its_match_now(event: Event) -> None:
    """The director makes a semifinal void, and therefore also the final, whose players have already begun to play."""
    card = the_card(event, "R2M1")
    play(card, gin("A", 20))
    decided(event, "R2M1", 1)
    make_void(event, "R1M1", R2M1=LaterMatchChoice.VOID)
    shown = page_text(page(event, "scoring:card", token=card.token))
    assert "Void. Not all players signed this score card before its match became void." in shown
    assert "Reason: A short deck." in shown
    assert "The result now: Grace is waiting for an opponent." in shown
    assert "will be played again" not in shown
    decided(event, "R1M1", 2)
    shown = page_text(page(event, "scoring:card", token=card.token))
    assert "became void" in shown and "The result now: Alan – Grace meet in this match." in shown
    decided(event, "R1M1", 1)
    shown = page_text(page(event, "scoring:card", token=card.token))
    assert "became void" in shown and "The result now: The match is open and will be played again." in shown


def test_a_match_that_is_void_for_others_is_not_void_for_those_who_come_back(event: Event) -> None:
    card = the_card(event, "R2M1")
    play(card, gin("A", 20))
    decided(event, "R1M1", 2)
    make_void(event, "R2M1")
    assert APART in page(event, "scoring:card", token=card.token)
    decided(event, "R1M1", 1)
    assert load_card_status(load_card_state_by_pk(card.pk)).kind is CardStatusKind.NOTHING
    add_line(card, LineEntry(gin("A", 21, "9C")), by=SYSTEM_ACTOR)
    assert load_card_state_by_pk(card.pk).is_complete
    sign_both(card)
    assert load_card_status(load_card_state_by_pk(card.pk)).kind is CardStatusKind.STANDS
    assert bad_lines(event) == []


def test_the_next_two_have_a_card_of_their_own(event: Event) -> None:
    first = the_card(event, "R2M1")
    decided(event, "R1M1", 2)
    own = get_or_open_card(load_seated_match(first.match), 1, by=SYSTEM_ACTOR)
    assert own.pk != first.pk and {who.number for who in own.entrants} == {2, 3}
    cut_for(own)
    post(own)
    assert load_card_status(load_card_state_by_pk(own.pk)).kind is CardStatusKind.STANDS


class TestWhoCameAfterIt:
    """If a substitute joins an entry, games that ended earlier still show the player who played them."""

    @pytest.fixture
    def event(self) -> Event:
        event = an_event_in_play(FOUR)
        post(the_card(event, "R1M1"), "B")
        post(the_card(event, "R1M2"))
        leaving = event.entrants.select_related("event__tournament").get(number=2)
        substitute_player(leaving, 1, Person("Maria"), by=SYSTEM_ACTOR, reason="taken ill")
        return event

    def test_the_match_and_the_lists_name_who_played_it(self, event: Event) -> None:
        shown = page(event, "pairing:match", ident="R1M1")
        assert "Alan goes on" in shown and "Maria goes on" not in shown
        assert "Ada" in shown.split("Next match")[0] and "Maria" not in shown.split("Next match")[0]
        assert "Maria" in shown.split("Next match")[1]
        results = client_as("director", event).get(event_url("pairing:desk_results", event))
        text = page_text(results)
        assert "Ada Alan ✓ winner" in text and "Maria Grace" in text

    def test_the_card_says_what_stands_with_the_names_on_it(self, event: Event) -> None:
        decided(event, "R1M1", 1)
        shown = page_text(page(event, "scoring:card", token=the_card(event, "R1M1").token))
        assert "The result now: Ada" in shown and "Maria" not in shown

    def test_the_other_players_phone_says_whom_they_played(self, event: Event) -> None:
        ada = event.entrants.get(number=1)
        phone = page_text(Client().get(reverse("scoring:my_match", kwargs={"token": ada.token})))
        assert "Ada – Alan" in phone and "Ada – Maria" not in phone


def test_of_a_changed_card_that_was_decided_since_the_phone_asks_nothing(event: Event) -> None:
    """If staff change a posted card and then decide its match, the phone asks the players for nothing more."""
    post(the_card(event, "R2M1"))
    card = the_card(event, "R2M1")
    correct_line(card, 2, None, by=the_director(event), reason="struck")
    decided(event, "R2M1", 3)
    phone = phone_of(event, 3, card)
    assert "The decision counts. No signatures are needed" in phone
    assert "Who cut" not in phone and "That is right" not in phone and "Enter" not in phone


def test_the_desk_is_not_told_that_a_changed_card_is_signed(event: Event) -> None:
    post(the_card(event, "R2M1"))
    correct_line(the_card(event, "R2M1"), 2, None, by=the_director(event), reason="struck")
    effects = EventPreview(fresh(event)).preview(lambda: decided(event, "R2M1", 3))
    rows = make_effects_context(effects)
    [row] = rows["changed"]
    assert (row.before, row.after) == ("Waiting for signatures", "Decided; no signatures needed")
    assert rows["superseded"] == []


class TestWhatTheDeskReads:
    def entry_page(self, event: Event) -> str:
        return page_text(client_as("director", event).get(event_url("scoring:desk_card", event)))

    def test_the_last_cards_on_the_entry_page_say_which_are_superseded(self, event: Event) -> None:
        assert "Superseded" not in self.entry_page(event)
        decided(event, "R1M1", 2)
        assert "Ada 91 – 0 Alan !Superseded" in self.entry_page(event).replace("! Superseded", "!Superseded")

    def test_the_desk_page_of_a_superseded_card_counts_no_time(self, event: Event) -> None:
        card, place = the_card(event, "R1M1"), {"tournament": event.tournament.slug, "event": event.slug}
        where = reverse("scoring:desk_card_lines", kwargs={**place, "token": card.token})
        assert "Final at" in page_text(client_as("director", event).get(where))
        decided(event, "R1M1", 2)
        assert "Final at" not in page_text(client_as("director", event).get(where))

    def test_a_match_that_was_made_void_is_not_played_until_somebody_writes_again(self, event: Event) -> None:
        card = the_card(event, "R2M1")
        play(card, gin("A", 20))
        assert load_started_matches(event, ["R2M1"]) == {("R2M1", frozenset({1, 3}))}
        said = MatchDecision(match=card.match, winner=None, cause=ResultCause.VOID, reason="wrong deck", override=True)
        decide_match(said, by=the_director(event))
        assert load_started_matches(event, ["R2M1"]) == set()

    def test_verify_event_counts_hands_and_totals_as_what_they_are(self) -> None:
        event = an_event_in_play(FOUR)
        first, other = the_card(event, "R1M1"), the_card(event, "R1M2")
        post(first)
        correct_line(first, 1, LineEntry(gin("A", 19), via="desk"), by=the_director(event), reason="misread")
        enter_paper_card(other, PaperCard(totals={"A": 120, "B": 7}, witness="Ida"), by=SYSTEM_ACTOR)
        sign_both(first)
        told = {check.subject: check.facts_text for check in verify_event(event)}
        [hands] = [said for what, said in told.items() if what.startswith("R1M1, game 1")]
        [totals] = [said for what, said in told.items() if what.startswith("R1M2, game 1")]
        assert "2 hands" in hands and "1 corrected line" in hands
        assert "1 total" in totals and "hand" not in totals


def test_at_tables_a_round_that_was_over_names_who_played_it() -> None:
    event = a_table_event_in_play(4, "fort-worth", {"size": 4, "rounds": 2}, length="very-short")
    [card] = open_cards(event)
    names = [who.name for who in card.entrants]
    play_fort_worth(card, dict.fromkeys("ABCD", 10))
    sign_all(card)
    leaving = event.entrants.select_related("event__tournament").get(number=card.entrants[0].number)
    substitute_player(leaving, 1, Person("Maria Callas"), by=SYSTEM_ACTOR, reason="taken ill")
    match = page_text(page(event, "pairing:match", ident=card.match.ident))
    assert names[0] in match and "Maria" not in match
    listed = page_text(client_as("director", event).get(event_url("pairing:desk_results", event)))
    assert " – ".join(names) in listed
    standings = page_text(page(event, "pairing:standings"))
    assert "Maria Callas" in standings and names[0] not in standings
