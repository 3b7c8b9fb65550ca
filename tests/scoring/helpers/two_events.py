"""Helpers that create a tournament with two events, which share people, money, and staff."""

from __future__ import annotations

from typing import Final

from pairing.desk.services.sending import call_ready_matches
from scoring.models import Card
from scoring.posting.services.correction_period import set_correction_terms
from scoring.posting.services.opening import start_play
from scoring.rehearsal.services.engine import close_registration_and_draw
from scoring.rules.sheet.card_status import CorrectionTerms
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.kit import fresh
from tests.scoring.helpers.archive import DIRECTOR, FEE, a_tournament_in_play, staff
from tests.scoring.helpers.playing import post, the_card
from tournament.models import Event, Player
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.drawers_and_close import close_drawer
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person, correct_player, merge_players
from tournament.setup.services.tournaments import create_event, open_registration

SECOND: Final = "consolation"
ONLY_THERE: Final = ("Hedy Lamarr", "Hedy Lamar")
"""Two records of one person who plays only in the second event."""


def two_events() -> tuple[Event, Event]:
    """Return two events of one tournament: the event of `a_tournament_in_play`, and a second-chance event after it.

    Ada Lovelace and Alan Turing play in both events. The first event posts a score card, then the second event, and
    then the first one again. The fees of both events go into the same drawer. After Ada has played in the first event,
    the desk of the second event corrects her name.
    """
    first, director = a_tournament_in_play(), staff(DIRECTOR, "Dora Director")
    tournament = first.tournament
    second = create_event(
        tournament, by=director, slug=SECOND, name="Consolation", fee_cents=FEE, second_chance_of=first, in_steps=True
    )
    second = open_registration(second, by=director)
    shared = [Player.objects.get(name=name, merged_into=None) for name in ("Ada Lovelace", "Alan Turing")]
    people = [Person(player.name, record=player) for player in shared]
    people += [Person(name, consents=True) for name in (*ONLY_THERE, "Katherine Johnson")]
    entrants = [add_entry(second, EntryRequest((person,), source="desk"), by=director) for person in people]
    for entrant in entrants:
        take_payment(entrant, FEE, "cash", by=director, key=f"second-{entrant.number}")
        set_check_in_status(entrant, by=director)
    gone = entrants[3].members.get().player
    save_rule_sheet(second, ChosenRules("gra-singles", {"target": 50}, 1), by=director)
    set_correction_terms(second, CorrectionTerms(corrections=30, rulings=30, appeals=30), by=director)
    second = start_play(close_registration_and_draw(fresh(second), "7H", by=director), by=director)
    call_ready_matches(second, 11, 12, by=director)
    post(Card.objects.filter(match__event=second).order_by("pk")[0])
    post(the_card(first, "R1M4"))
    merge_players(tournament, entrants[2].members.get().player, gone, by=director, reason="the same person")
    correct_player(second, shared[0], {"name": "Ada King"}, by=director, reason="She asked for it.")
    [drawer] = tournament.drawers.all()
    close_drawer(drawer, {100_00: 8, 20_00: 4}, by=director, key="")
    return fresh(first), fresh(second)
