from __future__ import annotations

from typing import Any

import pytest

from pairing.draws.knockout.progress import BracketMatchState
from pairing.draws.results import MatchOutcome, ResultCause
from pairing.models import Match, MatchResult
from pairing.results.services.corrections import EventPreview
from pairing.results.services.finish import finish_event, reopen_event
from pairing.results.services.results import (
    MatchDecision,
    decide_match,
    preview_decision,
    record_result,
    remove_entrant,
)
from tests.factories import a_user, an_entrant
from tests.kit import fresh, refused
from tests.pairing.helpers.events import a_posted_event, an_event_in_play, an_open_event, play_all, the_match, win
from tests.pairing.helpers.stages import progress_of
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor, make_staff_actor
from tournament.core.services.record import writing
from tournament.errors import NotAllowed
from tournament.models import AuditEntry, Entrant, EntrantFact, Event

pytestmark = pytest.mark.django_db
Kind = EntrantFact.Kind


def entrants_of(event: Event, ident: str) -> list[Entrant]:
    progress = progress_of(event)
    found = {entrant.number: entrant for entrant in event.entrants.all()}
    return [found[number] for number in progress[ident].entries]


def decide(
    match: Match,
    winner: Entrant | None,
    cause: ResultCause = ResultCause.NO_SHOW,
    *,
    by: Actor = SYSTEM_ACTOR,
    key: str = "",
    **options: Any,
) -> MatchResult:
    said = {"reason": "called three times", **options}
    return decide_match(MatchDecision(match=match, winner=winner, cause=cause, **said), by=by, key=key)


class TestRefusals:
    def test_before_play_begins(self) -> None:
        event = a_posted_event(4)
        one, _other = entrants_of(event, "R1M1")
        with refused("not-in-play"):
            decide(the_match(event, "R1M1"), one)

    def test_once_it_is_finished(self) -> None:
        event = an_event_in_play(2)
        play_all(event)
        finish_event(event, by=SYSTEM_ACTOR)
        one, _other = entrants_of(event, "R1M1")
        with refused("not-in-play"):
            decide(the_match(event, "R1M1"), one)

    def test_sides_that_are_not_known(self) -> None:
        event = an_event_in_play(4)
        one, _other = entrants_of(event, "R1M1")
        with refused("no-opponent"):
            decide(the_match(event, "R2M1"), one)

    def test_a_winner_from_another_match(self) -> None:
        event = an_event_in_play(4)
        stranger = entrants_of(event, "R1M2")[0]
        with refused("not-a-side"):
            decide(the_match(event, "R1M1"), stranger)

    @pytest.mark.parametrize("reason", ["", "   "])
    def test_no_reason(self, reason: str) -> None:
        event = an_event_in_play(4)
        one, _other = entrants_of(event, "R1M1")
        with refused("reason-needed"):
            decide(the_match(event, "R1M1"), one, reason=reason)

    @pytest.mark.parametrize("cause", [ResultCause.VOID, ResultCause.BOTH_ABSENT, ResultCause.BYE])
    def test_a_cause_that_nobody_wins_by(self, cause: ResultCause) -> None:
        event = an_event_in_play(4)
        one, _other = entrants_of(event, "R1M1")
        with refused("bad-cause"):
            decide(the_match(event, "R1M1"), one, cause)

    @pytest.mark.parametrize("cause", [ResultCause.PLAYED, ResultCause.NO_SHOW, ResultCause.BYE, ResultCause.TIME])
    def test_a_cause_that_needs_a_winner(self, cause: ResultCause) -> None:
        event = an_event_in_play(4)
        with refused("bad-cause"):
            decide(the_match(event, "R1M1"), None, cause)

    def test_neither_players_nor_the_hotel_decide(self) -> None:
        event = an_event_in_play(4)
        one, _other = entrants_of(event, "R1M1")
        for actor in (
            make_player_actor(one),
            make_staff_actor(a_user("hotel", event.tournament)),
            make_staff_actor(a_user("desk")),
        ):
            with pytest.raises(NotAllowed):
                decide(the_match(event, "R1M1"), one, by=actor)
        assert not MatchResult.objects.exists()

    def test_a_refused_decision_leaves_no_trace(self) -> None:
        event = an_event_in_play(4)
        rows, version = AuditEntry.objects.count(), fresh(event).version
        stranger = entrants_of(event, "R1M2")[0]
        with refused("not-a-side"):
            decide(the_match(event, "R1M1"), stranger)
        assert (AuditEntry.objects.count(), fresh(event).version) == (rows, version)


class TestDecisions:
    def test_the_same_form_sent_twice_is_one_result(self) -> None:
        event = an_event_in_play(4)
        one, _other = entrants_of(event, "R1M1")
        first = decide(the_match(event, "R1M1"), one, key="k1")
        assert decide(the_match(event, "R1M1"), one, key="k1") == first
        assert MatchResult.objects.count() == 1

    def test_a_result_that_was_not_seen_is_not_corrected_unawares(self) -> None:
        event = an_event_in_play(4)
        one, other = entrants_of(event, "R1M1")
        first = decide(the_match(event, "R1M1"), one, last_seen_result=0)
        with refused("decided-meanwhile"):
            decide(the_match(event, "R1M1"), other, last_seen_result=0)
        assert decide(the_match(event, "R1M1"), other, last_seen_result=first.pk, override=True).supersedes == first

    def test_void_opens_the_match_again_and_a_replay_counts(self) -> None:
        event = an_event_in_play(4)
        win(event, "R1M1")
        decide(the_match(event, "R1M1"), None, ResultCause.VOID, override=True)
        progress = progress_of(event)
        assert progress["R1M1"].state is BracketMatchState.READY
        assert progress["R2M1"].entries == ()
        win(event, "R1M1", side=1)
        again = progress_of(event)
        assert again["R1M1"].winner == progress["R1M1"].entries[1]

    def test_a_played_match_that_would_become_a_walk_over_is_told_too(self) -> None:
        # After the correction, the new finalist's opponent has left, so the final would be won without a game.
        event = an_event_in_play(4)
        play_all(event)
        finalists = entrants_of(event, "R2M1")
        remove_entrant(finalists[1], Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="left after the final")
        loser = next(e for e in entrants_of(event, "R1M1") if e != finalists[0])
        match = the_match(event, "R1M1")
        said = MatchDecision(match=match, winner=loser, cause=ResultCause.PLAYED, reason="misread")
        assert preview_decision(said)[1].affected_matches == ("R2M1",)
        with refused("touches-later"):
            decide(match, loser, ResultCause.PLAYED)

    def test_what_it_touches_is_told_before_and_nothing_is_changed(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        loser = entrants_of(event, "R1M1")[1]
        match = the_match(event, "R1M1")
        effects = EventPreview(event).preview(lambda: decide(match, loser, ResultCause.PLAYED, override=True))
        assert [change.ident for change in effects.matches] == ["R1M1", "R2M1"]
        assert effects.matches[1].after is not None
        assert effects.matches[1].after.state is BracketMatchState.READY
        assert MatchResult.objects.count() == 3

    def test_a_correction_to_the_same_winner_touches_nothing(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        winner = entrants_of(event, "R1M1")[0]
        said = MatchDecision(
            match=the_match(event, "R1M1"), winner=winner, cause=ResultCause.PLAYED, reason="typed again"
        )
        assert preview_decision(said)[1].affected_matches == ()


class TestGoingOut:
    def test_before_the_draw_is_posted(self) -> None:
        event = an_open_event(4)
        entrant = event.entrants.get(number=1)
        with refused("not-drawn"):
            remove_entrant(entrant, Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="ill")

    def test_who_is_not_in_the_draw(self) -> None:
        event = an_event_in_play(4)
        late = an_entrant(event, "Too Late", number=9, state=Entrant.State.WAITING)
        with refused("not-in-draw"):
            remove_entrant(late, Kind.NO_SHOW, by=SYSTEM_ACTOR, reason="came too late")

    def test_once_it_is_finished_and_again_after_it_is_opened(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        finish_event(event, by=SYSTEM_ACTOR)
        entrant = event.entrants.get(number=1)

        def disqualify() -> Entrant:
            return remove_entrant(entrant, Kind.DISQUALIFIED, by=SYSTEM_ACTOR, reason="marked cards")

        with refused("finished"):
            disqualify()
        reopen_event(fresh(event), by=SYSTEM_ACTOR, reason="marked cards were found")
        assert disqualify().state == Entrant.State.REMOVED

    def test_twice_and_no_reason_and_no_such_kind(self) -> None:
        event = an_event_in_play(4)
        entrant = event.entrants.get(number=1)
        with refused("reason-needed"):
            remove_entrant(entrant, Kind.NO_SHOW, by=SYSTEM_ACTOR, reason=" ")
        with refused("bad-kind"):
            remove_entrant(entrant, Kind.KEPT, by=SYSTEM_ACTOR, reason="hm")
        remove_entrant(entrant, Kind.NO_SHOW, by=SYSTEM_ACTOR, reason="not seen", key="k")
        remove_entrant(entrant, Kind.NO_SHOW, by=SYSTEM_ACTOR, reason="not seen", key="k")
        with refused("out-already"):
            remove_entrant(entrant, Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="gone")
        assert EntrantFact.objects.filter(entrant=entrant, kind=Kind.NO_SHOW).count() == 1

    def test_who_did_not_come_may_still_be_disqualified_and_loses_the_place(self) -> None:
        event = an_event_in_play(2)
        gone = event.entrants.get(number=1)
        remove_entrant(gone, Kind.NO_SHOW, by=SYSTEM_ACTOR, reason="not seen")
        remove_entrant(gone, Kind.DISQUALIFIED, by=SYSTEM_ACTOR, reason="played elsewhere meanwhile")
        assert finish_event(event, by=SYSTEM_ACTOR).places == [[2]]


def test_a_result_by_a_card_supersedes_and_keeps_the_old_one() -> None:
    event = an_event_in_play(2)
    first, second = win(event, "R1M1"), win(event, "R1M1", side=1)
    assert second.supersedes == first
    assert MatchResult.objects.filter(match__ident="R1M1").count() == 2


def test_inside_one_write_the_winner_is_read_from_its_own_event() -> None:
    event, elsewhere = an_event_in_play(2), an_event_in_play(2)
    win(elsewhere, "R1M1")
    with writing(event, verb="card.posted", by=SYSTEM_ACTOR) as write:
        result = record_result(write, the_match(event, "R1M1"), MatchOutcome.won("R1M1", 1, 2))
    assert result.winner is not None
    assert result.winner.event_id == event.pk
