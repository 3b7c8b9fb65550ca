"""Call matches to tables, move them to other tables, or take them off."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from pairing.above import score_cards
from pairing.course.selectors.in_play import drawn_entries, load_ready
from pairing.matches.selectors.records import COUNTING
from pairing.models import Match, TableCall
from pairing.results.selectors import load_concerned
from pairing.stage_kinds.selectors.stages import busy_tables, load_tables_elsewhere
from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.core.topics import raise_also
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event
from tournament.models.topic import entrant_topic


def call_to_table(match: Match, table: int | None, *, by: Actor) -> TableCall:
    """Call a match to a table, or take it off its table if `table` is None.

    Raises:
        DomainError: `bad-table`.
        Conflict: `busy`, `not-ready`, `no-table`.
    """
    require(by, "desk", match.event.tournament)
    with writing(match.event, verb="table.called", by=by) as write:
        event = write.the_event
        busy = busy_tables(event)
        if table is not None:
            _refuse(event, match, table, busy)
        elif match.pk not in busy.values():
            raise Conflict("no-table", _("This match has no table. Nothing was changed."))
        tell_players(event, [match])
        write.about(match, table=table)
        call = TableCall.objects.create(match=match, table=table, **write.fact_fields())
        score_cards().open_ready_cards(write)
        return call


def call_all(event: Event, first: int, last: int, *, by: Actor) -> int:
    """Call every ready match to a free table from `first` to `last`, in bracket order.

    Return the number of calls. A table at which another event plays is not free.
    """
    require(by, "desk", event.tournament)
    if not 1 <= first <= last:
        raise DomainError("bad-range", _("Enter the lower table number first, such as 1 to 32."))
    with writing(event, verb="tables.called", by=by) as write:
        locked = write.the_event
        if drawn_entries(locked) is None:
            raise Conflict("not-drawn", _("The draw is not posted yet. Post the draw first."))
        busy = busy_tables(locked)
        taken = busy.keys() | load_tables_elsewhere(locked)
        free = [table for table in range(first, last + 1) if table not in taken]
        matches = {match.ident: match for match in locked.matches.filter(COUNTING)}
        waiting = [ident for ident in load_ready(locked) if matches[ident].pk not in busy.values()]
        calls = list(zip(waiting, free, strict=False))
        tell_players(locked, [matches[ident] for ident, _table in calls])
        for ident, table in calls:
            TableCall.objects.create(match=matches[ident], table=table, **write.fact_fields())
        score_cards().open_ready_cards(write)
        write.about(locked, called=len(calls))
        return len(calls)


def tell_players(event: Event, matches: Iterable[Match]) -> None:
    """Wake the pages of the players of these matches, and of those who wait for the outcome.

    Call it inside an open write, before the call to a table.
    """
    numbers = load_concerned(event, matches)
    found = Entrant.objects.filter(event=event, number__in=numbers).values_list("pk", flat=True)
    raise_also(*map(entrant_topic, found))


def _refuse(event: Event, match: Match, table: int, busy: dict[int, int]) -> None:
    if table < 1:
        raise DomainError("bad-table", _("Table numbers start at 1. Enter another number."))
    if busy.get(table, match.pk) != match.pk:
        raise Conflict("busy", _("Table %(table)s is busy. Choose a free one.") % {"table": table})
    if match.ident not in load_ready(event):
        raise Conflict("not-ready", _("This match cannot be played now. Look at the pairings."))
