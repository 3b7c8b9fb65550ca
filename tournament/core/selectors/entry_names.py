"""The names of the entries of an event, today and before a substitute came."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Final

from django.db.models import Exists, F, OuterRef, Q

from tournament.models import Event, Member
from tournament.spreadsheets.keys import plain_letters
from tournament.spreadsheets.numbers import typed_number

MOST_WORDS: Final = 6


class EntryNames(dict[int, str]):
    """The current names by entry number.

    `earlier` has the earlier names of each entry with a substitute, with the end of each.
    """

    def __init__(self, now: Mapping[int, str], earlier: Mapping[int, tuple[tuple[datetime, str], ...]]) -> None:
        super().__init__(now)
        self.earlier = earlier

    def at(self, moment: datetime | None) -> Mapping[int, str]:
        """Return the names at this moment, or the current names for None."""
        if moment is None or not self.earlier:
            return self
        then = {
            number: next((name for until, name in names if moment < until), self[number])
            for number, names in self.earlier.items()
        }
        return {**self, **then}


def entries_called(wanted: str, names: Mapping[int, str]) -> tuple[int, ...]:
    """Return the entries with this number, or whose names contain all the words. Accents and case do not matter.

    The entries have the order of `names`.
    """
    number, words = typed_number(wanted), plain_letters(wanted).split()[:MOST_WORDS]
    if number is not None:
        return (number,) if number in names else ()
    return tuple(entry for entry, name in names.items() if words and has_words(name, words))


def has_words(name: str, words: Iterable[str]) -> bool:
    """Return whether the name contains each of these words, which must be in plain letters."""
    plain = plain_letters(name)
    return all(word in plain for word in words)


def goes_by_other_name() -> Exists:
    """Filter entrants whose public name differs from the one that staff see."""
    other = Q(player__hides_name=True) | ~Q(player__public_name__in=("", F("player__name")))
    return Exists(Member.objects.filter(other, entrant=OuterRef("pk"), replaced_by=None))


def load_real_names(entrants: Collection[int]) -> dict[int, str]:
    """Return the names that staff see by the entrants' primary keys, with one query or none."""
    if not entrants:
        return {}
    names: dict[int, list[str]] = defaultdict(list)
    members = Member.objects.filter(entrant__in=entrants, replaced_by=None).order_by("seat", "pk")
    for entrant, name in members.values_list("entrant_id", "player__name"):
        names[entrant].append(name)
    return {entrant: " / ".join(own) for entrant, own in names.items()}


def load_entry_names(event: Event) -> EntryNames:
    """Return the names of all entries with one query, or two if any entry has a substitute."""
    came = Exists(Member.objects.filter(entrant=OuterRef("pk"), replaces__isnull=False))
    rows = list(event.entrants.values_list("number", "name", came))
    now = {number: name for number, name, _changed in rows}
    changed = [number for number, _name, changed in rows if changed]
    return EntryNames(now, _load_earlier(event, changed) if changed else {})


def _load_earlier(event: Event, numbers: list[int]) -> dict[int, tuple[tuple[datetime, str], ...]]:
    found: dict[int, list[Member]] = {number: [] for number in numbers}
    members = Member.objects.filter(entrant__event=event, entrant__number__in=numbers).order_by("seat", "pk")
    for member in members.select_related("player", "entrant", "replaced_by"):
        found[member.entrant.number].append(member)
    return {number: tuple(_names_until(rows)) for number, rows in found.items()}


def _names_until(members: list[Member]) -> list[tuple[datetime, str]]:
    """Return the earlier names, oldest first, each with the time at which a substitute came."""
    came = sorted(member.at for member in members if member.replaces_id is not None)
    return [(at, " / ".join(str(one.player) for one in members if _played_before(one, at))) for at in came]


def _played_before(member: Member, moment: datetime) -> bool:
    gone = getattr(member, "replaced_by", None)
    came = member.replaces_id is None or member.at < moment
    return came and (gone is None or gone.at >= moment)
