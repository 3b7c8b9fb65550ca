"""Add a late entry to a pool in progress, or to a bracket in place of a bye.

Only a late entry to a bracket can be undone.
"""

from typing import Final

from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.results import Result
from pairing.draws.stages.pools import add_late_entries_to_groups
from pairing.models import LateEntry, LateEntryTakenBack, Match, StageEntry
from pairing.ports import score_cards
from pairing.results.selectors.late_entries import OpenByes, can_join_stage, compute_max_missed_games, load_open_byes
from pairing.results.services.results import record_credits
from pairing.stages.selectors.apart import load_separated_pairs
from pairing.stages.selectors.boards import load_matches_in_play
from pairing.stages.selectors.course import EventStages, load_event_stages, load_persons_by_entry
from pairing.stages.services.stages import (
    create_seated_match,
    find_free_match_names,
    require_entrants_have_sites,
    require_stages_in_play,
)
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact, Event

LATE_ENTRY_REASON_PROMPT: Final = gettext_lazy("Write the reason for the late entry.")


def join_stage(
    entrant: Entrant,
    *,
    by: Actor,
    reason: str,
    missed: int = 0,
    counts_as: MissedGamesPolicy = MissedGamesPolicy.LOSS,
    key: str = "",
) -> StageEntry:
    """Let a late entry play from now on. A group stage adds it to the smallest group, where it plays everybody.

    The director decides how many games the entry has `missed`, and how each of them counts.

    Raises:
        DomainError: `reason-needed`, `no-site`, `too-many-missed`.
        Conflict: `not-in`, `no-late-entry`, `in-already`, `did-not-go-on`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    require_reason(reason, str(LATE_ENTRY_REASON_PROMPT))
    key = make_idempotency_key(key, entrant.pk, missed, counts_as)
    with writing(entrant.event, verb="stage.joined", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return StageEntry.objects.get(pk=write.outcome["entry"])
        course, locked = require_stages_in_play(write.the_event), Entrant.objects.get(pk=entrant.pk)
        stage = course.current_stage
        _require_can_join(course, locked)
        most = compute_max_missed_games(course)
        if not 0 <= missed <= most:
            message = gettext("Enter 0 to %(most)s missed games. At least one game must be left to play.")
            raise DomainError("too-many-missed", message % {"most": most})
        require_entrants_have_sites(write.the_event, [stage.plan], [locked.number])
        entry = StageEntry.objects.create(stage=stage.row, entrant=locked, **write.fact_fields())
        if stage.kind.traits.all_meet:
            _schedule_group_games(write, course, locked)
        games = _record_missed_games(write, course, locked, missed, counts_as)
        _check_in(write, locked)
        details = {"missed": games, "as": counts_as.value} if games else {}
        write.about(locked, entry=entry.pk, stage=stage.row.pk, **details)
        return entry


def _require_can_join(course: EventStages, entrant: Entrant) -> None:
    stage = course.current_stage
    _require_entered(entrant)
    if stage.pool is None or not stage.accepts_late_entries:
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
    if not can_join_stage(course, entrant.number):
        names = {"name": entrant.name, "stage": stage.name}
        played = gettext("%(name)s played before “%(stage)s” and did not go on to it") % names
        message = gettext("%(said)s: by the standings the place is somebody else’s.")
        raise Conflict("did-not-go-on", message % {"said": played})


def _require_entered(entrant: Entrant) -> None:
    if entrant.state != Entrant.State.IN:
        message = gettext("%(name)s is not in the event. Add the entry to the list of entrants first.")
        raise Conflict("not-in", message % {"name": entrant.name})


def _record_missed_games(
    write: WriteTransaction, course: EventStages, entrant: Entrant, missed: int, counts_as: MissedGamesPolicy
) -> list[str]:
    """Record each missed game as a game without an opponent.

    These games are listed in the results, where each can be undone.
    """
    idents = find_free_match_names(course.draw, missed)
    credit = counts_as.credit
    winner = entrant.number if credit.result is Result.WIN else None
    for turn, ident in enumerate(idents, start=1):
        match = create_seated_match(write.the_event, course.current_stage.row, ident, (entrant.number,), (turn, 0))
        record_credits(write, match, winner, {entrant.number: credit})
    return idents


def _schedule_group_games(write: WriteTransaction, course: EventStages, entrant: Entrant) -> None:
    """Schedule a game against each member of the group, in new rounds after the existing ones."""
    stage = course.current_stage
    assert stage.pool is not None
    groups = add_late_entries_to_groups([part.entries for part in stage.pool.parts], [entrant.number])
    inside = next(group for group in groups if group[-1] == entrant.number)
    persons = load_persons_by_entry(write.the_event, inside)
    own = persons.get(entrant.number, frozenset())
    others = [entry for entry in inside[:-1] if not own & persons.get(entry, frozenset())]
    last = max((match.round for match in stage.matches.values()), default=0)
    for turn, (ident, other) in enumerate(
        zip(find_free_match_names(course.draw, len(others)), others, strict=True), start=1
    ):
        create_seated_match(write.the_event, stage.row, ident, (other, entrant.number), (last + turn, 1))


def _check_in(write: WriteTransaction, entrant: Entrant) -> None:
    """Check in the late entry if the event uses check-in."""
    if not entrant.arrived and entrant.event.entrants.filter(arrived=True).exists():
        EntrantFact.objects.create(entrant=entrant, kind=EntrantFact.Kind.ARRIVED, **write.fact_fields())
        entrant.arrived = True
        entrant.save(update_fields=["arrived"])


# --- Late entries in a bracket ---------------------------------------------------------------------------------------


def take_over_bye(entrant: Entrant, *, by: Actor, reason: str, key: str = "") -> LateEntry:
    """Pair a late entry with an entry that still has an open bye. Their match replaces the bye.

    The first open bye in the order of `OpenByes` is used. Entries that are kept apart from the late entry are skipped
    if possible.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-in-play`, `not-in`, `no-late-entry`, `in-already`, `no-bye`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    require_reason(reason, str(LATE_ENTRY_REASON_PROMPT))
    key = make_idempotency_key(key, entrant.pk)
    with writing(entrant.event, verb="bracket.joined", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return LateEntry.objects.get(pk=write.outcome["late_entry"])
        event, locked = write.the_event, Entrant.objects.get(pk=entrant.pk)
        open_byes = _require_open_byes(event, locked)
        apart = _find_byes_to_skip(event, locked, open_byes)
        bye = next(bye for bye in open_byes.byes if bye not in apart)
        # The match is numbered after all drawn matches and earlier late entries, so that no match is ever renamed.
        position = open_byes.drawn_match_count + LateEntry.objects.filter(stage=open_byes.stage).count() + 1
        place = {"ident": f"R1M{position}", "round": 1, "position": position}
        late = LateEntry.objects.create(
            draw=open_byes.stage.draw,
            stage=open_byes.stage,
            match=Match.objects.create(event=event, draw=open_byes.stage.draw, stage=open_byes.stage, **place),
            entrant=locked,
            bye=event.entrants.get(number=bye),
            open_byes=list(open_byes.byes),
            kept_apart=sorted(apart),
            **write.fact_fields(),
        )
        _check_in(write, locked)
        score_cards().open_ready_cards(write)
        write.about(locked, late_entry=late.pk, match=late.match.ident, bye=bye, open_byes=late.open_byes)
        return late


def _require_open_byes(event: Event, entrant: Entrant) -> OpenByes:
    if event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play",
            _("%(name)s is not in play (“%(state)s”). Nothing was changed.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    _require_entered(entrant)
    open_byes = load_open_byes(event)
    if open_byes is None:
        raise Conflict(
            "no-late-entry",
            _(
                "Late entries are not possible here. They need a single-elimination bracket with byes that "
                "everybody started in. A substitute can play for an entrant instead."
            ),
        )
    if entrant.number in open_byes.entries:
        raise Conflict(
            "in-already", _("%(name)s is in the bracket already. Nothing was changed.") % {"name": entrant.name}
        )
    return open_byes


def _find_byes_to_skip(event: Event, entrant: Entrant, open_byes: OpenByes) -> frozenset[int]:
    """Return the entries whose byes have to be skipped. Raise an error if no bye is left.

    Entries that share a person with the late entry are always skipped. Entries that the director keeps apart from the
    late entry, individually or by club, are skipped unless no other bye is open.
    """
    number, byes = entrant.number, open_byes.byes.keys()
    persons = load_persons_by_entry(event, [number, *byes])
    own = persons.get(number, frozenset())
    same_person = frozenset(bye for bye in byes if own & persons.get(bye, frozenset()))
    if not byes - same_person:
        no_bye = _("No bye is left, because the match after each one is called, started or decided.")
        raise Conflict("no-bye", _("%(said)s A substitute can play for somebody who is in.") % {"said": no_bye})
    pairs = load_separated_pairs(event, [number, *byes], 1)
    apart = same_person.union(*(pair for pair in pairs if number in pair)) - {number}
    return apart if byes - apart else same_person


def undo_late_entry(late: LateEntry, *, by: Actor, reason: str, key: str = "") -> LateEntryTakenBack:
    """Undo a late entry to a bracket and restore the bye. The entrant stays on the list until they withdraw.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-in-play`, `taken-back`, `play-began`.
    """
    event, key = late.draw.commitment.event, make_idempotency_key(key, late.pk)
    require_permission(by, "direct", event.tournament)
    require_reason(reason, str(LATE_ENTRY_REASON_PROMPT))
    with writing(event, verb="bracket.joined.taken-back", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return LateEntryTakenBack.objects.get(pk=write.outcome["taken_back"])
        event = write.the_event
        if event.state != Event.State.IN_PLAY:
            raise Conflict("not-in-play", _("%(name)s is not in play. Nothing was changed.") % {"name": event.name})
        if LateEntryTakenBack.objects.filter(late_entry=late).exists():
            raise Conflict("taken-back", _("This late entry was undone already. Nothing was changed."))
        if not _is_untouched(event, late):
            message = _(
                "The match is called, started or decided, so the late entry stands. Withdraw the entrant instead."
            )
            raise Conflict("play-began", message)
        done = LateEntryTakenBack.objects.create(late_entry=late, **write.fact_fields())
        write.about(late.entrant, taken_back=done.pk, late_entry=late.pk, match=late.match.ident)
        return done


def _is_untouched(event: Event, late: LateEntry) -> bool:
    """Return whether the late entry's match has no result, no table, and no line on its card."""
    bracket, ident = load_event_stages(event).bracket, late.match.ident
    if bracket is None or late.match.results.exists():
        return False
    return ident in bracket.ready_matches and ident not in load_matches_in_play(event, bracket)
