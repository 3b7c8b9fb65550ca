"""The two sides of every card become its seats, and go back again."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from scoring.models import Card, CardSeat, Signature
from scoring.selectors.cards import load_card_by_pk
from tests.scoring.playing import an_event_in_play, play_out, sign, the_card
from tests.scoring.tables import a_table_card

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = ("scoring", "0004_add_card_names")


@pytest.fixture(autouse=True)
def _leave_it_as_it_was() -> Any:
    yield
    migrate(None)


def migrate(target: tuple[str, str] | None) -> Any:
    """To that step, or (None) to the last one; the models as they are there."""
    executor = MigrationExecutor(connection)
    targets = [target] if target else executor.loader.graph.leaf_nodes()
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


def test_both_sides_of_a_card_sit_down_and_stand_up_again() -> None:
    card = the_card(an_event_in_play())
    ada, alan = card.entrants
    play_out(card)
    digest = sign(card, alan).digest
    old = migrate(BEFORE).get_model("scoring", "Card").objects.get(pk=card.pk)
    assert (old.one_id, old.other_id, old.one_name, old.other_name) == (ada.pk, alan.pk, "Ada", "Alan")
    migrate(None)
    assert list(CardSeat.objects.filter(card=card.pk).values_list("position", "entrant_id", "name")) == [
        (0, ada.pk, "Ada"),
        (1, alan.pk, "Alan"),
    ]
    assert Card.objects.get(pk=card.pk).sides_key == card.sides_key
    assert Signature.objects.get().seat.entrant_id == alan.pk
    assert load_card_by_pk(card.pk).digest == digest == Signature.objects.get().digest


def test_a_card_of_three_cannot_go_back() -> None:
    card = a_table_card(("Ada", "Alan", "Grace"), "captain")
    with pytest.raises(ValueError, match=f"card {card.pk} has other sides"):
        migrate(BEFORE)
    migrate(None)
    card.delete()
