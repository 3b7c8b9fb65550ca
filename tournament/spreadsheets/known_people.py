"""Find the existing entry that a row of a list repeats, certainly or perhaps."""

from collections import defaultdict
from dataclasses import dataclass, field

from tournament.said import worded
from tournament.spreadsheets.keys import email_key, name_key
from tournament.spreadsheets.rows import Remark, RowReading


@dataclass(frozen=True, slots=True)
class Known:
    """An entry of the event, or a row further up in the list. A row has neither primary key nor number."""

    label: str
    names: frozenset[str]
    email: str
    phone: str = ""
    club: str = ""
    key: int = 0
    number: int = 0
    paid_cents: int = 0
    is_out: bool = False


@dataclass
class KnownEntries:
    by_name: dict[str, list[Known]] = field(default_factory=lambda: defaultdict(list))
    by_email: dict[str, list[Known]] = field(default_factory=lambda: defaultdict(list))
    by_key: dict[int, Known] = field(default_factory=dict)
    claimed: set[int] = field(default_factory=set)
    """Primary keys of the entries that a row without an email was matched with. Each is matched only once."""

    def add_row(self, number: int, reading: RowReading) -> None:
        """Add a row of the list itself, so that later rows are compared with it."""
        names = frozenset(name_key(name) for name in reading.names)
        label = worded("row %(number)s of this list", number=number)
        self.add(Known(label, names, email_key(reading.email), digits_of(reading.phone), name_key(reading.club)))

    def add(self, known: Known) -> None:
        if known.key:
            self.by_key[known.key] = known
        for name in known.names:
            self.by_name[name].append(known)
        if known.email:
            self.by_email[known.email].append(known)


def same_entry(reading: RowReading, known: KnownEntries, *, by_name: bool = True) -> Known | None:
    """Find the entry that a row plainly repeats: by name and email, or else by name, phone and club."""
    names = frozenset(name_key(name) for name in reading.names)
    mail, phone, club = email_key(reading.email), digits_of(reading.phone), name_key(reading.club)
    candidates = [one for name in names for one in known.by_name.get(name, ()) if names == one.names]
    for one in candidates:
        if mail and mail == one.email:
            return one
        if by_name and not mail and not one.email and one.key and one.key not in known.claimed:
            told_apart = (phone and one.phone and phone != one.phone) or (club and one.club and club != one.club)
            if not told_apart and (len(candidates) == 1 or (phone, club) == (one.phone, one.club)):
                known.claimed.add(one.key)
                return one
    return None


def digits_of(phone: str) -> str:
    return "".join(filter(str.isdigit, phone))[-9:]


def doubts_of(reading: RowReading, known: KnownEntries) -> list[Remark]:
    """Return remarks about existing entries with the same name or email that are not plainly the same entry."""
    doubts, met = [], set()
    for name in reading.names:
        for one in known.by_name.get(name_key(name), ()):
            met.add(one.label)
            if len(reading.names) > 1 or reading.asks:
                text = worded(
                    "%(name)s is already in another team: %(entry)s. Correct the row or set it aside.",
                    name=name,
                    entry=one.label,
                )
                doubts.append(Remark("mend", "in-another-team", text))
            else:
                text = worded(
                    "%(name)s is already there as %(entry)s, with another email. If it is another player, accept it.",
                    name=name,
                    entry=one.label,
                )
                if not reading.email or not one.email:
                    text = worded(
                        "%(name)s is already there as %(entry)s. If they are two players of one name, accept it.",
                        name=name,
                        entry=one.label,
                    )
                doubts.append(Remark("look", "same-name", text, one.number))
    for one in known.by_email.get(email_key(reading.email), ()) if reading.email else ():
        if one.label not in met:
            text = worded(
                "The email is that of %(entry)s, under another name. If they are two players, accept it.",
                entry=one.label,
            )
            doubts.append(Remark("look", "same-email", text))
    return doubts
