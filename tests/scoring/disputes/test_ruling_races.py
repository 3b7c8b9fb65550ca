"""If two directors rule at the same time, one ruling is stored, and the other director gets an error message."""

from __future__ import annotations

import pytest

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.disputes.services.rulings import apply_previewed_ruling, make_ruling, preview_ruling
from scoring.models import ConductPenalty, Ruling
from tests.races import codes_of
from tests.scoring.helpers.disputes import as_the_rules_say, called
from tests.scoring.helpers.playing import an_event_in_play, knock, play, the_card, the_director

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


def test_two_directors_rule_at_once() -> None:
    event = an_event_in_play()
    card = the_card(event)
    play(card, knock("A", 5, 20))
    dispute = called(card, "improper-knock", hand=2, by="A", up="9H", count=10, opponent_count=7)
    one, other = the_director(event), the_director(event)
    accepted, declined = (as_the_rules_say(dispute, chosen=code) for code in ("accept", "decline"))
    outcomes = codes_of(
        lambda: make_ruling(dispute, accepted, by=one), lambda: make_ruling(dispute, declined, by=other)
    )
    assert outcomes == ["done", "ruled-already"]
    made = Ruling.objects.get()
    assert load_card_state_by_pk(card.pk).score.totals == (
        (15, 28) if made.ruling == "accepted-as-undercut" else (15, 0)
    )


def test_two_look_and_both_do_what_was_shown() -> None:
    event = an_event_in_play(("Ada", "Alan", "Barbara", "Cleo"))
    dispute = called(the_card(event), "false-report", by="A")
    director = the_director(event)
    deciding = as_the_rules_say(dispute)
    shown = preview_ruling(dispute, deciding, by=director).digest
    outcomes = codes_of(*[lambda: apply_previewed_ruling(dispute, deciding, shown=shown, by=director)] * 2)
    assert outcomes == ["done", "ruled-already"]
    assert (Ruling.objects.count(), ConductPenalty.objects.count()) == (1, 1)
