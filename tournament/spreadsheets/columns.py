"""Which column is what, by its heading."""

from collections.abc import Mapping, Sequence
from typing import Final

from tournament.said import worded
from tournament.spreadsheets.keys import name_key

_SIDE: Final = (
    "side", "sex", "gender", "m f", "f m", "m w", "men ladies", "men or ladies", "men women", "men or women",
    "gents ladies", "gents or ladies", "geschlecht", "gentlemen or ladies", "gentlemen ladies", "guys or girls",
    "guys girls", "man or lady", "man lady",
)  # fmt: skip
FIELDS: Final[dict[str, tuple[str, frozenset[str]]]] = {
    "at": (worded("Entered at"), frozenset({"timestamp", "date", "entered", "received", "submitted"})),
    "first_name": (worded("First name"), frozenset({"first name", "given name", "first", "forename", "vorname"})),
    "last_name": (worded("Last name"), frozenset({"last name", "surname", "family name", "last", "nachname"})),
    "name": (worded("Name"), frozenset({"name", "full name", "player", "player a", "player 1", "entrant"})),
    "partner": (worded("Partner"), frozenset({"player b", "player 2", "partner", "partner name"})),
    "partner_email": (
        worded("Email of the partner"),
        frozenset({"partner email", "partner e mail", "partners email", "email b", "email 2", "e mail 2", "e mail b"}),
    ),
    "site": (worded("Site"), frozenset({"site", "venue", "location", "place of play", "plays at", "where"})),
    "pool": (worded("Pool (A or B)"), frozenset({"pool", "a b", "a or b", "ab"})),
    "side": (worded("Side (men, ladies, A or B)"), frozenset(_SIDE)),
    "senior": (
        worded("Senior (into the notes)"),
        frozenset({"senior", "seniors", "sr", "65", "senior player", "age group"}),
    ),
    "apart": (
        worded("Keep apart (into the notes)"),
        frozenset({"keep apart", "kept apart", "apart", "keep apart from", "apart from", "not against", "avoid"}),
    ),
    "team": (worded("Name of the team"), frozenset({"team", "team name", "pair"})),
    "public_name": (worded("Name to show"), frozenset({"public name", "nickname", "name to show", "display name"})),
    "email": (worded("Email"), frozenset({"email", "e mail", "email address", "e mail address", "mail"})),
    "phone": (worded("Phone"), frozenset({"phone", "phone number", "telephone", "mobile", "cell"})),
    "club": (worded("Club or city"), frozenset({"club", "city", "club or city", "town", "home club"})),
    "region": (worded("State"), frozenset({"state", "province", "country"})),
    "events": (worded("Events"), frozenset({"event", "events", "event s"})),
    "amount": (worded("Amount paid"), frozenset({"amount paid", "fee paid", "paid", "amount", "payment"})),
    "method": (worded("How paid"), frozenset({"how paid", "method", "payment method", "paid by"})),
    "notes": (
        worded("Notes"),
        frozenset({"notes", "remarks", "comments", "anything we should know", "note", "comment", "remark"}),
    ),
}
"""Field → what staff call it, and the headings (as `name_key`) it goes by."""


def guess_columns(headers: Sequence[str]) -> dict[str, int]:
    """Field → place of its column; the first heading that fits is taken, each column once.

    >>> guess_columns(["E-mail Address", "First Name", "Event(s)"])
    {'first_name': 1, 'email': 0, 'events': 2}
    """
    keys = [name_key(header) for header in headers]
    found: dict[str, int] = {}
    for field, (_label, known) in FIELDS.items():
        place = next((i for i, key in enumerate(keys) if key in known and i not in found.values()), None)
        if place is not None:
            found[field] = place
    return found


def mapped(cells: Sequence[str], columns: Mapping[str, int]) -> dict[str, str]:
    """The cells by field; what no column stands for is empty."""
    return {
        field: cells[columns[field]] if field in columns and 0 <= columns[field] < len(cells) else ""
        for field in FIELDS
    }
