"""After any sequence of actions, a score card's digest matches its content, and a posted card is fully signed."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card
from tests.chance import examples
from tests.kit import clear_caches
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, the_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import DomainError

pytestmark = pytest.mark.django_db

hands = st.builds(gin, st.sampled_from("AB"), st.sampled_from([5, 30]), st.sampled_from(["8H", "9C", "2D", "KS"]))
acts = st.one_of(
    st.tuples(st.just("add"), hands),
    st.tuples(st.just("correct"), st.integers(1, 3), hands),
    st.tuples(st.just("strike"), st.integers(1, 3)),
    st.tuples(st.just("sign"), st.sampled_from([0, 1])),
)


def do(card: Card, act: Any) -> None:
    match act:
        case ("add", line):
            add_line(card, LineEntry(line, override="it is so"), by=SYSTEM_ACTOR)
        case ("correct", hand, line):
            correct_line(card, hand, LineEntry(line, override="it is so"), by=SYSTEM_ACTOR, reason="wrong")
        case ("strike", hand):
            correct_line(card, hand, None, by=SYSTEM_ACTOR, reason="thrown in")
        case ("sign", who):
            entrant = card.entrants[who]
            shown = SigningContext(load_card_state_by_pk(card.pk).digest)
            sign_by_code(card, entrant.sign_code, shown, by=make_player_actor(entrant))


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(acts, max_size=14))
def test_a_card_through_any_history(done: list[Any]) -> None:
    clear_caches()
    with transaction.atomic():
        card = the_card(an_event_in_play())
        cut_for(card)
        contents: dict[str, bytes] = {}
        for act in done:
            before = load_card_state_by_pk(card.pk)
            with contextlib.suppress(DomainError):
                do(card, act)
            state = load_card_state_by_pk(card.pk)
            assert contents.setdefault(state.digest, state.content.as_bytes()) == state.content.as_bytes()
            assert (state.digest == before.digest) == (state.content.as_bytes() == before.content.as_bytes())
            assert len(state.lines) == len(state.score.rows)
            assert state.score.totals == tuple(sum(r.points[s] for r in state.score.tally.lines) for s in "AB")
            under_this = set(card.signatures.filter(digest=state.digest).values_list("entrant_id", flat=True))
            assert (
                state.signatures.signed_entrants == under_this
                and not {seat.entrant_id for seat in state.signatures.missing_seats} & under_this
            )
            assert state.is_posted == (state.is_complete and len(state.signatures.signed_entrants) == 2)
            won = card.match.results.filter(superseded_by__isnull=True).first()
            assert not state.is_posted or (won is not None and won.winner == state.score.winner)
        transaction.set_rollback(True)
