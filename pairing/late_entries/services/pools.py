"""Add a late entry to a pool in play. The director sets how the missed games count."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.course.services.sites import refuse_siteless
from pairing.course.services.stages import course_in_play, next_idents, seat_match
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.results import Result
from pairing.draws.stages.pools import with_late
from pairing.late_entries.selectors.pools import may_join, most_missed
from pairing.models import StageEntry
from pairing.results.services.results import record_credits
from pairing.stage_kinds.selectors.stages import Course, load_persons
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, refuse_without, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact


@dataclass(frozen=True, slots=True)
class MissedGames:
    """The number of games that a late entry missed, and how each of them counts."""

    games: int = 0
    counts_as: MissedGamesPolicy = MissedGamesPolicy.LOSS


NOTHING_MISSED = MissedGames()
WHY_LATE: Final = _("Write the reason for the late entry.")


def join_stage(
    entrant: Entrant, *, by: Actor, reason: str, beforehand: MissedGames = NOTHING_MISSED, key: str = ""
) -> StageEntry:
    """Let a late entry play from now on. In groups, it joins the smallest one and plays everybody there.

    Raises:
        DomainError: `reason-needed`, `no-site`, `too-many-missed`.
        Conflict: `not-in`, `no-late-entry`, `in-already`, `did-not-go-on`.
    """
    require(by, "desk", entrant.event.tournament)
    refuse_without(reason, str(WHY_LATE))
    key = scoped_key(key, entrant.pk, beforehand.games, beforehand.counts_as)
    with writing(entrant.event, verb="stage.joined", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return StageEntry.objects.get(pk=write.outcome["entry"])
        course, locked = course_in_play(write.the_event), Entrant.objects.get(pk=entrant.pk)
        stage = course.current
        _refuse_late(course, locked)
        _refuse_missed(course, beforehand)
        refuse_siteless(write.the_event, [stage.plan], [locked.number])
        entry = StageEntry.objects.create(stage=stage.row, entrant=locked, **write.fact_fields())
        if stage.kind.traits.all_meet:
            _play_in_group(write, course, locked)
        missed = _count_beforehand(write, course, locked, beforehand)
        check_in(write, locked)
        said = {"missed": missed, "as": beforehand.counts_as.value} if missed else {}
        write.about(locked, entry=entry.pk, stage=stage.row.pk, **said)
        return entry


def _refuse_late(course: Course, entrant: Entrant) -> None:
    stage = course.current
    refuse_not_in(entrant)
    if stage.pool is None or not stage.takes_late_entries:
        raise Conflict(
            "no-late-entry",
            gettext(
                "Nobody can join “%(name)s”, because its pairings are fixed. A substitute can play for an "
                "entrant instead."
            )
            % {"name": stage.name},
        )
    if entrant.number in stage.pool.qualifying.entrants:
        raise Conflict(
            "in-already",
            gettext("%(name)s is in “%(stage)s” already. Nothing was changed.")
            % {"name": entrant.name, "stage": stage.name},
        )
    if not may_join(course, entrant.number):
        said = gettext("%(name)s played before “%(stage)s” and did not go on to it") % {
            "name": entrant.name,
            "stage": stage.name,
        }
        raise Conflict(
            "did-not-go-on", gettext("%(said)s: by the standings the place is somebody else’s.") % {"said": said}
        )


def refuse_not_in(entrant: Entrant) -> None:
    if entrant.state != Entrant.State.IN:
        said = gettext("%(name)s is not in the event. Add the entry to the list of entrants first.") % {
            "name": entrant.name
        }
        raise Conflict("not-in", said)


def _refuse_missed(course: Course, beforehand: MissedGames) -> None:
    most = most_missed(course)
    if not 0 <= beforehand.games <= most:
        raise DomainError(
            "too-many-missed",
            gettext("Enter 0 to %(most)s missed games. At least one game must be left to play.") % {"most": most},
        )


def _count_beforehand(write: Write, course: Course, entrant: Entrant, beforehand: MissedGames) -> list[str]:
    """Record each missed game as a game without an opponent, which appears in the results and can be undone there."""
    idents = next_idents(course.draw, beforehand.games)
    credit = beforehand.counts_as.credit
    winner = entrant.number if credit.result is Result.WIN else None
    for turn, ident in enumerate(idents, start=1):
        match = seat_match(write.the_event, course.current.row, ident, (entrant.number,), (turn, 0))
        record_credits(write, match, winner, {entrant.number: credit})
    return idents


def _play_in_group(write: Write, course: Course, entrant: Entrant) -> None:
    """Make a game against everybody else in the group, one a round, after the existing rounds."""
    stage = course.current
    assert stage.pool is not None
    groups = with_late([part.entries for part in stage.pool.parts], [entrant.number])
    inside = next(group for group in groups if group[-1] == entrant.number)
    persons = load_persons(write.the_event, inside)
    own = persons.get(entrant.number, frozenset())
    others = [entry for entry in inside[:-1] if not own & persons.get(entry, frozenset())]
    last = max((match.round for match in stage.matches.values()), default=0)
    for turn, (ident, other) in enumerate(zip(next_idents(course.draw, len(others)), others, strict=True), start=1):
        seat_match(write.the_event, stage.row, ident, (other, entrant.number), (last + turn, 1))


def check_in(write: Write, entrant: Entrant) -> None:
    """Check in the late entry if the event uses check-in, because a player who plays has come."""
    if not entrant.arrived and entrant.event.entrants.filter(arrived=True).exists():
        EntrantFact.objects.create(entrant=entrant, kind=EntrantFact.Kind.ARRIVED, **write.fact_fields())
        entrant.arrived = True
        entrant.save(update_fields=["arrived"])
