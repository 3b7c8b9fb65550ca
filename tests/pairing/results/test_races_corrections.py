"""A result is corrected at the same time as another action, on a real database.

The first action succeeds. The second one either succeeds as well or is rejected with an error message.
"""

from __future__ import annotations

import pytest

from pairing.desk.services.pairings import PairsToSend
from pairing.desk.services.sending import call_match_to_table
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import ResultCause
from pairing.models import MatchKept, MatchResult, Pairing, TableCall
from pairing.results.services.corrections import EventPreview
from pairing.results.services.results import MatchDecision, decide_match, remove_entrant
from pairing.stages.selectors.course import load_busy_tables, load_event_stages
from tests.kit import entrant_of, fresh
from tests.pairing.helpers.corrections import correct, correct_later, other_way
from tests.pairing.helpers.events import an_event_in_play, play_all, send_pairs, the_match, win
from tests.pairing.helpers.races import at_once, refusals
from tests.pairing.helpers.stages import FINALS, QUALIFIER, progress_of, staged
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import AuditEntry, EntrantFact

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


def test_corrected_while_the_next_match_is_called_to_a_table() -> None:
    event = an_event_in_play(4)
    win(event, "R1M1")
    win(event, "R1M2")
    act = correct_later(event, other_way(event, "R1M1"))
    later = the_match(event, "R2M1")
    before = progress_of(event)["R2M1"].entries
    ends = at_once(act, lambda: call_match_to_table(later, 5, by=SYSTEM_ACTOR))
    corrected = progress_of(event)["R2M1"].entries != before
    assert refusals(ends) == ([] if corrected else ["look-again"])
    assert TableCall.objects.count() == 1
    assert load_busy_tables(fresh(event)) == {5: later.pk}


def test_two_corrections_of_one_match_at_once() -> None:
    event = an_event_in_play(4)
    play_all(event)
    seen = MatchResult.objects.get(match__ident="R1M1").pk
    kept, replayed = (
        MatchDecision(
            match=the_match(event, "R1M1"),
            winner=entrant_of(event, progress_of(event)["R1M1"].losers[0]),
            cause=ResultCause.PLAYED,
            reason="names",
            last_seen_result=seen,
            later_match_choices={"R2M1": choice},
            override=True,
        )
        for choice in (LaterMatchChoice.KEEP, LaterMatchChoice.REPLAY)
    )
    ends = at_once(correct_later(event, kept), correct_later(event, replayed))
    assert refusals(ends) == ["decided-meanwhile"]
    assert MatchResult.objects.filter(match__ident="R1M1").count() == 2
    assert MatchKept.objects.exists() == (progress_of(event)["R2M1"].winner is not None)
    assert AuditEntry.objects.filter(verb="match.decided").count() == 1


def test_two_corrections_that_touch_the_same_match() -> None:
    event = an_event_in_play(4)
    play_all(event)
    acts = [correct_later(event, other_way(event, ident, R2M1=LaterMatchChoice.KEEP)) for ident in ("R1M1", "R1M2")]
    ends = at_once(*acts)
    assert refusals(ends) in ([], ["look-again"])
    assert progress_of(event)["R2M1"].winner is not None
    correct(event, other_way(event, "R2M1"))


def test_one_page_sent_by_an_impatient_finger() -> None:
    event = an_event_in_play(4)
    play_all(event)
    decision = other_way(event, "R1M1")
    shown = EventPreview(event).preview(lambda: decide_match(decision, by=SYSTEM_ACTOR)).digest

    def send() -> object:
        return EventPreview(event).apply(lambda: decide_match(decision, by=SYSTEM_ACTOR, key="one"), shown=shown)

    ends = at_once(send, send, send)
    assert len(set(ends)) == 1
    assert MatchResult.objects.filter(match__ident="R1M1").count() == 2


def test_withdrawn_and_sent_to_play_at_once() -> None:
    event = staged(4, QUALIFIER, FINALS)

    def withdraw() -> object:
        return remove_entrant(entrant_of(event, 1), EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="taken ill")

    ends = at_once(withdraw, lambda: send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR))
    course = load_event_stages(fresh(event))
    assert course.pool is not None
    found = course.pool.qualifying
    if Pairing.objects.exists():
        assert refusals(ends) == []
        assert (str(found[1].record), str(found[2].record)) == ("0–1", "1–0")
    else:
        assert refusals(ends) == ["not-waiting"]
        assert 2 in found.ready_entries
    assert not found.playing_entries
