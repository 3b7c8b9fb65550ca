"""Who played in an entry, and from when to when, by its rows: a substitute's row replaces another."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tournament.models import Event, Member


@dataclass(frozen=True)
class Sitting:
    """`since` None: from the beginning. `until` None: to the end."""

    name: str
    since: dt.datetime | None
    until: dt.datetime | None

    def covers(self, moment: dt.datetime) -> bool:
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)


def read_sittings(event: Event) -> dict[int, tuple[Sitting, ...]]:
    """By entry number, seat by seat; only entries that a substitute came to."""
    rows = list(
        Member.objects.filter(entrant__event=event)
        .order_by("seat", "pk")
        .values_list("pk", "entrant__number", "player__public_name", "player__name", "at", "replaces_id")
    )
    ended = {replaces: at for _pk, _number, _public, _name, at, replaces in rows if replaces is not None}
    changed = {number for _pk, number, _public, _name, _at, replaces in rows if replaces is not None}
    found: dict[int, list[Sitting]] = defaultdict(list)
    for pk, number, public, name, at, replaces in rows:
        if number in changed:
            found[number].append(Sitting(public or name, at if replaces is not None else None, ended.get(pk)))
    return {number: tuple(sittings) for number, sittings in found.items()}


def name_at(sittings: Sequence[Sitting], moment: dt.datetime) -> str | None:
    """The name that the entry had then; None where nobody came since, so that it is the one it has now."""
    if not any(one.until is not None and moment < one.until for one in sittings):
        return None
    return " / ".join(one.name for one in sittings if one.covers(moment))
