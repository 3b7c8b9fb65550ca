"""Add a late entry to a bracket in the place of a bye, or undo it."""

from django.utils.translation import gettext as _

from pairing.above import score_cards
from pairing.knockout.selectors import load_in_play
from pairing.late_entries.selectors.byes import OpenByes, apart_from, load_open_byes, same_persons
from pairing.late_entries.services.pools import WHY_LATE, check_in, refuse_not_in
from pairing.models import LateEntry, LateEntryTakenBack, Match
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.permissions import Actor, require
from tournament.core.services.record import refuse_without, scoped_key, writing
from tournament.errors import Conflict
from tournament.models import Entrant, Event


def take_bye(entrant: Entrant, *, by: Actor, reason: str, key: str = "") -> LateEntry:
    """Let a late entry play against the holder of the first open bye in the order of the lots. Nobody chooses.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-in-play`, `not-in`, `no-late-entry`, `in-already`, `no-bye`.
    """
    require(by, "desk", entrant.event.tournament)
    refuse_without(reason, str(WHY_LATE))
    key = scoped_key(key, entrant.pk)
    with writing(entrant.event, verb="bracket.joined", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return LateEntry.objects.get(pk=write.outcome["late_entry"])
        event, locked = write.the_event, Entrant.objects.get(pk=entrant.pk)
        found = _refuse_late(event, locked)
        apart = _kept_apart(event, locked, found)
        bye = next(bye.entry for bye in found.byes if bye.entry not in apart)
        late = LateEntry.objects.create(
            draw=found.stage.draw,
            stage=found.stage,
            match=_make_match(event, found),
            entrant=locked,
            bye=event.entrants.get(number=bye),
            open_byes=[bye.entry for bye in found.byes],
            kept_apart=sorted(apart),
            **write.fact_fields(),
        )
        check_in(write, locked)
        score_cards().open_ready_cards(write)
        write.about(locked, late_entry=late.pk, match=late.match.ident, bye=bye, open_byes=late.open_byes)
        return late


def _refuse_late(event: Event, entrant: Entrant) -> OpenByes:
    if event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play",
            _("%(name)s is not in play (“%(state)s”). Nothing was changed.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    refuse_not_in(entrant)
    found = load_open_byes(event)
    if found is None:
        raise Conflict(
            "no-late-entry",
            _(
                "Late entries are not possible here. They need a single-elimination bracket with byes that "
                "everybody started in. A substitute can play for an entrant instead."
            ),
        )
    if entrant.number in found.entries:
        raise Conflict(
            "in-already", _("%(name)s is in the bracket already. Nothing was changed.") % {"name": entrant.name}
        )
    return found


def _kept_apart(event: Event, entrant: Entrant, found: OpenByes) -> frozenset[int]:
    """Return the entries whose byes are passed over, or refuse if no bye is left.

    Entries of the same person are always passed over.
    Entries that the director keeps apart are passed over unless no other bye is open.
    """
    himself = same_persons(event, entrant.number, found)
    byes = {bye.entry for bye in found.byes}
    if not byes - himself:
        said = _("No bye is left, because the match after each one is called, started or decided.")
        raise Conflict("no-bye", _("%(said)s A substitute can play for somebody who is in.") % {"said": said})
    apart = himself | apart_from(event, entrant.number, found)
    return apart if byes - apart else himself


def _make_match(event: Event, found: OpenByes) -> Match:
    """Make the match after all drawn matches and earlier late entries, so that no match ever changes its name."""
    stage = found.stage
    position = found.drawn + LateEntry.objects.filter(stage=stage).count() + 1
    place = {"ident": f"R1M{position}", "round": 1, "position": position}
    return Match.objects.create(event=event, draw=stage.draw, stage=stage, **place)


def give_bye_back(late: LateEntry, *, by: Actor, reason: str, key: str = "") -> LateEntryTakenBack:
    """Undo a late entry in a bracket, so that the bye is a bye again.

    The entrant stays on the list until they withdraw.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-in-play`, `taken-back`, `play-began`.
    """
    event, key = late.draw.commitment.event, scoped_key(key, late.pk)
    require(by, "direct", event.tournament)
    refuse_without(reason, str(WHY_LATE))
    with writing(event, verb="bracket.joined.taken-back", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return LateEntryTakenBack.objects.get(pk=write.outcome["taken_back"])
        event = write.the_event
        if event.state != Event.State.IN_PLAY:
            raise Conflict("not-in-play", _("%(name)s is not in play. Nothing was changed.") % {"name": event.name})
        if LateEntryTakenBack.objects.filter(late_entry=late).exists():
            raise Conflict("taken-back", _("This late entry was undone already. Nothing was changed."))
        if not late_is_untouched(event, late):
            said = _("The match is called, started or decided, so the late entry stands. Withdraw the entrant instead.")
            raise Conflict("play-began", said)
        done = LateEntryTakenBack.objects.create(late_entry=late, **write.fact_fields())
        write.about(late.entrant, taken_back=done.pk, late_entry=late.pk, match=late.match.ident)
        return done


def late_is_untouched(event: Event, late: LateEntry) -> bool:
    """Return whether the match of the late entry has no result, no table and no line on its card."""
    bracket, ident = load_course(event).bracket, late.match.ident
    if bracket is None or late.match.results.exists():
        return False
    return ident in bracket.ready and ident not in load_in_play(event, bracket)
