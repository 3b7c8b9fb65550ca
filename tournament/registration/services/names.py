"""Correct a person at the desk: name, sort name, public name, contact details and consent."""

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import raise_version, require_reason, scoped_key, writing
from tournament.core.topics import EVERYBODY
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event, Player, PlayerCorrection
from tournament.registration.selectors.entries import members_of
from tournament.registration.services.entries import reload_entrant
from tournament.registration.services.people import Person, entry_sort_name
from tournament.spreadsheets import email_key, name_key, tidy

CORRECTABLE: Final = ("name", "public_name", "hides_name", "email", "phone", "club")


def correct_player(
    event: Event, player: Player, facts: Mapping[str, Any], *, by: Actor, reason: str = "", key: str = ""
) -> PlayerCorrection:
    """Correct a player's record, and the names of all their entries in all events.

    A score card keeps the names it began with, so everything that was signed stays as it was. `facts` maps field
    names of `CORRECTABLE` to new values.

    Raises:
        DomainError: `no-name`, `nothing-changed`, or `reason-needed` if the public name changes.
        Conflict: `merged-already`, if the record was merged into another one.
    """
    require(by, "desk", event.tournament)
    key = scoped_key(key, player.pk, sorted(facts.items()))
    entered = Event.objects.filter(entrants__members__player=player).values("pk")
    with transaction.atomic():
        # Lock all events that show the name in a fixed order, so that two desks never deadlock.
        others = list(Event.objects.select_for_update().filter(pk__in=entered).order_by("pk"))
        with writing(event, verb="player.corrected", by=by, key=key, reason=reason) as write:
            if write.repeated:
                return PlayerCorrection.objects.get(pk=write.outcome["correction"])
            locked = Player.objects.select_for_update().get(pk=player.pk)
            if locked.merged_into_id is not None:
                raise Conflict(
                    "merged-already", _("This record was merged into another one. Correct that one instead.")
                )
            before, changes = str(locked), _apply(locked, facts)
            if "hides_name" in changes or str(locked) != before:
                require_reason(reason)
            if locked.hides_name is False and "hides_name" in changes:
                locked.consent_at = write.at
            locked.save()
            correction = PlayerCorrection.objects.create(
                player=locked, event=write.the_event, changes=changes, shown_before=before, **write.fact_fields()
            )
            write.log_digest("player_corrections", correction)
            for entrant in Entrant.objects.filter(members__player=locked, event__in=others).distinct():
                _update_names(entrant)
            for other in others:
                if other.pk != event.pk:
                    raise_version(other, frozenset({EVERYBODY}))
            write.about(f"{before} → {locked}", correction=correction.pk, player=locked.pk, fields=sorted(changes))
            return correction


def _apply(player: Player, facts: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Set the new values on the record, and return the old and new value of each changed field."""
    before = {field: getattr(player, field) for field in CORRECTABLE}
    for field, value in {**before, **facts}.items():
        text = value.strip()[:254] if field == "email" else tidy(value)[:200] if isinstance(value, str) else value
        setattr(player, field, text)
    is_renamed = (player.name, player.hides_name) != (before["name"], before["hides_name"])
    if is_renamed and player.public_name in (player.name, before["name"]):
        player.public_name = ""  # it equals the name, and would outlive it
    changes = {field: [was, getattr(player, field)] for field, was in before.items() if was != getattr(player, field)}
    if not changes:
        raise DomainError("nothing-changed", _("Nothing is different yet. Change a field, or go back."))
    if not name_key(player.name):
        raise DomainError("no-name", _("Write the name."), field="name")
    player.name_key, player.email_key = name_key(player.name), email_key(player.email)
    if "name" in changes:
        player.sort_name = ""  # it was typed for the old name
    return changes


def _update_names(entrant: Entrant) -> None:
    playing = [member.player for member in members_of(entrant)]
    entrant.name = " / ".join(map(str, playing))[:200]
    entrant.sort_name = entry_sort_name([Person.of(player) for player in playing], playing)
    entrant.club = playing[0].club if playing else entrant.club
    entrant.save(update_fields=["name", "sort_name", "sort_key", "club"])


def change_sort_name(entrant: Entrant, seat: int, sort_name: str, *, by: Actor) -> Entrant:
    """Change the sort name of one player of an entry. An empty name restores the proposed one.

    Other entries of the player keep their sort names.

    Raises:
        DomainError: `no-such-seat`.
    """
    require(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.sort-name", by=by) as write:
        locked = reload_entrant(entrant)
        playing = {member.seat: member.player for member in members_of(locked)}
        if seat not in playing:
            raise DomainError("no-such-seat", _("This player is not in the entry. Open the entry again and choose."))
        player = playing[seat]
        was, player.sort_name = player.sort_name, tidy(sort_name)[:200]
        player.save(update_fields=["sort_name", "sort_key"])
        locked.sort_name = entry_sort_name([Person.of(one) for one in playing.values()], list(playing.values()))
        locked.save(update_fields=["sort_name", "sort_key"])
        write.about(locked, number=locked.number, player=player.pk, was=was, sort_name=player.sort_name)
        return locked
