"""Merge two records of one person. Readers follow `merged_into`, so a merge can be undone."""

from collections.abc import Iterable

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import raise_version, writing
from tournament.core.topics import EVERYBODY, note_rows
from tournament.errors import Conflict, DomainError
from tournament.models import Event, Member, Merge, MergeUndone, Player, Tournament
from tournament.people.selectors import tournament_people


def merge_players(tournament: Tournament, kept: Player, gone: Player, *, by: Actor, reason: str) -> Merge:
    """Merge the record `gone` into `kept`. Records that were merged into `gone` before follow it.

    Raises:
        DomainError: `same-player`, `reason-needed`, or `not-here` if a record has no entry in this tournament.
        Conflict: `merged-already`.
    """
    require(by, "direct", tournament)
    refuse_without(reason)
    if kept.pk == gone.pk:
        raise DomainError("same-player", _("These are the same record already. Choose two different ones."))
    with writing(tournament, verb="players.merged", by=by, reason=reason) as write:
        events = _lock_events(tournament, kept, gone)
        rows = {row.pk: row for row in Player.objects.select_for_update().filter(pk__in=[kept.pk, gone.pk])}
        stays, goes = rows[kept.pk], rows[gone.pk]
        if stays.merged_into_id is not None or goes.merged_into_id is not None:
            raise Conflict("merged-already", _("One of the two was merged in the meantime. Look at the list again."))
        if tournament_people(tournament).filter(pk__in=rows).count() != 2:
            raise DomainError("not-here", _("Both records must have an entry in this tournament."))
        members = Member.objects.filter(player=goes).values_list("pk", flat=True)
        followers = list(goes.merged.values_list("pk", flat=True))
        moved = [{"member": pk} for pk in members] + [{"player": pk} for pk in followers]
        Player.objects.filter(pk__in=[goes.pk, *followers]).update(merged_into=stays)
        note_rows(Player, [goes.pk, *followers])
        merge = Merge.objects.create(kept=stays, gone=goes, moved=moved, **write.fact_fields())
        write.about(merge, merge=merge.pk, kept=stays.pk, gone=goes.pk)
        _touch(events)
        return merge


def undo_merge(tournament: Tournament, merge: Merge, *, by: Actor, reason: str) -> MergeUndone:
    """Undo a merge.

    Raises:
        Conflict: `undone`, or `merged-on` if a later merge has to be undone first.
    """
    require(by, "direct", tournament)
    refuse_without(reason)
    with writing(tournament, verb="players.merge-undone", by=by, reason=reason) as write:
        events = _lock_events(tournament, merge.gone, merge.kept)
        if MergeUndone.objects.filter(merge=merge).exists():
            raise Conflict("undone", _("This merge was undone already. Nothing was changed."))
        if Player.objects.get(pk=merge.gone_id).merged_into_id != merge.kept_id:
            raise Conflict("merged-on", _("The kept record was merged again later. Undo that merge first."))
        undone = MergeUndone.objects.create(merge=merge, **write.fact_fields())
        followers = [item["player"] for item in merge.moved if "player" in item]
        Player.objects.filter(pk=merge.gone_id).update(merged_into=None)
        Player.objects.filter(pk__in=followers).update(merged_into=merge.gone)
        note_rows(Player, [merge.gone_id, *followers])
        write.about(merge, merge=merge.pk)
        _touch(events)
        return undone


def _lock_events(tournament: Tournament, *players: Player) -> list[Event]:
    """Lock all events of this tournament and all others with an entry of these people, before the people."""
    named = Event.objects.filter(Q(tournament=tournament) | Q(entrants__members__player__in=players)).values("pk")
    return list(Event.objects.select_for_update(of=("self",)).filter(pk__in=named).order_by("pk"))


def _touch(events: Iterable[Event]) -> None:
    """Raise the versions of these events, so that pages with the players' names are renewed."""
    for event in events:
        raise_version(event, frozenset({EVERYBODY}))
