"""What the entries of an event are called now, and were called before a substitute came."""

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
    """By number, as they are called now. `earlier` has of each whom a substitute joined: until when, and the name."""

    def __init__(self, now: Mapping[int, str], earlier: Mapping[int, tuple[tuple[datetime, str], ...]]) -> None:
        super().__init__(now)
        self.earlier = earlier

    def at(self, moment: datetime | None) -> Mapping[int, str]:
        """As they were called then; None: now."""
        if moment is None or not self.earlier:
            return self
        then = {
            number: next((name for until, name in names if moment < until), self[number])
            for number, names in self.earlier.items()
        }
        return {**self, **then}


def entries_called(wanted: str, names: Mapping[int, str]) -> tuple[int, ...]:
    """The entries whose name has all the words, accents or not, or whose number it is, in the order of `names`."""
    number, words = typed_number(wanted), plain_letters(wanted).split()[:MOST_WORDS]
    if number is not None:
        return (number,) if number in names else ()
    return tuple(entry for entry, name in names.items() if words and has_words(name, words))


def has_words(name: str, words: Iterable[str]) -> bool:
    """Whether each of these, in plain letters, is some part of the name."""
    plain = plain_letters(name)
    return all(word in plain for word in words)


def goes_by_other_name() -> Exists:
    """Whether the public sees another name of an entrant than the staff."""
    other = Q(player__hides_name=True) | ~Q(player__public_name__in=("", F("player__name")))
    return Exists(Member.objects.filter(other, entrant=OuterRef("pk"), replaced_by=None))


def load_real_names(entrants: Collection[int]) -> dict[int, str]:
    """Return the names that staff call these entrants by their keys; one query, or none."""
    if not entrants:
        return {}
    names: dict[int, list[str]] = defaultdict(list)
    members = Member.objects.filter(entrant__in=entrants, replaced_by=None).order_by("seat", "pk")
    for entrant, name in members.values_list("entrant_id", "player__name"):
        names[entrant].append(name)
    return {entrant: " / ".join(own) for entrant, own in names.items()}


def load_entry_names(event: Event) -> EntryNames:
    """One query; a second where a substitute plays."""
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
    """Who played until each of the substitutes came, the first first."""
    came = sorted(member.at for member in members if member.replaces_id is not None)
    return [(at, " / ".join(str(one.player) for one in members if _played_before(one, at))) for at in came]


def _played_before(member: Member, moment: datetime) -> bool:
    gone = getattr(member, "replaced_by", None)
    came = member.replaces_id is None or member.at < moment
    return came and (gone is None or gone.at >= moment)
