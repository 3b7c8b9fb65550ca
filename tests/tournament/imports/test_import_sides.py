from __future__ import annotations

from pathlib import Path

import pytest

from pairing.blind_draw.services import close_registration, renew_commitment
from tests.factories import a_director, a_tournament, an_entrant, an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tournament.errors import DomainError
from tournament.models import Entrant, Event, ImportBatch
from tournament.registration.selectors.imported_lists import list_ignored_columns
from tournament.registration.services.imported_lists import import_valid_rows, store_uploaded_list
from tournament.registration.services.waiting_list import change_side

pytestmark = pytest.mark.django_db

GIVEN = Path(__file__).resolve().parents[3] / "tournament" / "data" / "registrations-singles.csv"


@prebuilt
def of_sides(format: str = "court-whist", state: str = Event.State.OPEN, **fields: object) -> Event:
    return an_event(a_tournament(), format=format, entry_size=1, state=state, **fields)


def taken(event: Event, content: str) -> ImportBatch:
    return store_uploaded_list(event, "list.csv", content.encode(), by=a_director(event.tournament))


def remarks(batch: ImportBatch) -> list[str]:
    return [f"{row.verdict}: {remark['text']}" for row in batch.rows.order_by("number") for remark in row.remarks]


@pytest.mark.parametrize(
    ("heading", "cells"),
    [("Men or ladies", ("men", "Ladies")), ("M/F", ("M", "f")), ("Side", ("Gentlemen", "lady")), ("Side", ("A", "b")),
     ("A or B", ("a", "Side B")), ("Gender", ("male", "FEMALE"))],
)  # fmt: skip
def test_a_list_has_the_sides_of_court_whist(heading: str, cells: tuple[str, str]) -> None:
    event = of_sides()
    batch = taken(event, f"Name,{heading}\nAlan Turing,{cells[0]}\nAda Lovelace,{cells[1]}\n")
    assert import_valid_rows(batch, by=a_director(event.tournament)) == 2
    assert dict(event.entrants.values_list("members__player__name", "side")) == {
        "Alan Turing": "left", "Ada Lovelace": "right",
    }  # fmt: skip
    assert remarks(batch) == []


def test_a_list_has_sides_by_their_names_in_the_event() -> None:
    event = of_sides("rotation", format_options={"sides": ["Reds", "Blues"]})
    batch = taken(event, "Name,Side\nAda Lovelace,blues\nAlan Turing,A\nGrace Hopper,men\nKurt Gödel,\n")
    verdicts = list(batch.rows.order_by("number").values_list("verdict", flat=True))
    assert verdicts == ["new", "new", "look", "new"]
    assert remarks(batch) == [
        "look: “men” is not a side of this event. Write Reds or Blues, or A or B.",
        "new: The side is missing (Reds or Blues). Choose it on the entrant's page before registration closes.",
    ]
    import_valid_rows(batch, by=a_director(event.tournament))
    assert list(event.entrants.order_by("number").values_list("side", flat=True)) == ["right", "left", ""]


def test_senior_and_keep_apart_go_into_the_notes_with_a_remark() -> None:
    event = an_event(a_tournament())
    batch = taken(event, "Name,Senior,Keep apart,Remarks\nAda Lovelace,yes,Alan Turing,first time\n")
    assert remarks(batch)[:2] == [
        "new: “Senior: yes” goes into the notes. Nothing else is done with it.",
        "new: “Keep apart: Alan Turing” goes into the notes.",
    ]
    assert remarks(batch)[2:] == [
        "new: Asks to be kept apart. The request stays in the notes, and the draw's page names it until you decide."
    ]
    import_valid_rows(batch, by=a_director(event.tournament))
    assert event.entrants.get().notes == "first time. Senior: yes. Keep apart: Alan Turing"


@pytest.mark.parametrize("cell", ["no", "None", "-", "n/a", "0", "FALSE", "N"])
def test_a_cell_with_no_is_not_a_request(cell: str) -> None:
    batch = taken(an_event(a_tournament()), f"Name,Senior,Keep apart\nAda Lovelace,{cell},{cell}\n")
    assert remarks(batch) == [] and batch.rows.get().verdict == "new"


@pytest.mark.parametrize("heading", ["Gents/Ladies", "Geschlecht"])
def test_more_headings_of_sides(heading: str) -> None:
    event = of_sides()
    taken(event, f"Vorname;Nachname;{heading}\nAlan;Turing;m\nAda;Lovelace;w\n")
    batch = event.imports.get()
    import_valid_rows(batch, by=a_director(event.tournament))
    assert list(event.entrants.order_by("number").values_list("side", flat=True)) == ["left", "right"]


@pytest.mark.parametrize(("first", "told"), [("Alan Turing,men", True), ("Wer,Was", True), ("Name,Whatever", False)])
def test_a_first_line_without_headings_is_shown(first: str, told: bool) -> None:
    """The page shows the line that was read as headings, because a list without headings begins with a player."""
    event = of_sides()
    batch = taken(event, f"{first}\nAda Lovelace,ladies\n")
    client = client_as("director", event)
    page = client.get(event_url("tournament:desk_import_preview", event, pk=batch.pk)).content.decode()
    one, other = first.split(",")
    assert ("It read the first row as headings:" in page) is told
    assert (f"“{one}”, “{other}”" in page) is told


def test_unused_cells_are_reported() -> None:
    event = an_event(a_tournament(), entry_size=1)
    batch = taken(event, "Name,Side,Pool,Site,Partner,T-shirt\nAda Lovelace,ladies,A,Tampa,Alan Turing,L\n")
    said = " ".join(remarks(batch))
    for cell in ("Side (men, ladies, A or B) “ladies”", "Pool (A or B) “A”", "Site “Tampa”", "Partner “Alan Turing”"):
        assert f"{cell} is left out" in said
    assert list_ignored_columns(batch, batch.rows.values_list("cells", flat=True)) == [("T-shirt", 1)]


def test_the_page_shows_read_and_unread_columns() -> None:
    event = of_sides()
    batch = taken(event, "Name,M/F,T-shirt,Empty\nAda Lovelace,f,L,\n")
    client = client_as("director", event)
    page = client.get(event_url("tournament:desk_import_preview", event, pk=batch.pk)).content.decode()
    assert "M/F → Side (men, ladies, A or B)" in page and "Name → Name" in page
    assert "T-shirt (1 row)" in page and "Empty (" not in page and "Ladies" in page


def test_missing_sides_of_a_real_list_are_reported() -> None:
    """The list of a real tournament has no column for sides, but the draw needs the side of every entrant."""
    event = of_sides(name="Singles")
    batch = store_uploaded_list(event, GIVEN.name, GIVEN.read_bytes(), by=a_director(event.tournament))
    new = [row for row in batch.rows.all() if row.verdict == "new"]
    assert new and all(any(remark["code"] == "no-side" for remark in row.remarks) for row in new)
    assert list_ignored_columns(batch, batch.rows.values_list("cells", flat=True)) == []


class TestClosing:
    def test_a_missing_side_prevents_closing_registration(self) -> None:
        event = of_sides()
        director = a_director(event.tournament)
        an_entrant(event, "Alan", side="left")
        ada = an_entrant(event, "Ada")
        an_entrant(event, "Grace", state=Entrant.State.WITHDRAWN)
        with pytest.raises(DomainError, match=r"no side yet: 2 Ada\. Choose a side on their pages, then close"):
            close_registration(event, by=director)
        event.refresh_from_db()
        assert event.state == Event.State.OPEN
        client = client_as("director", event)
        draw = event_url("pairing:desk_draw", event)
        page = client.post(draw, {"act": "close"}).content.decode()
        own = event_url("tournament:desk_entrant", event, number=ada.number)
        assert "no side yet" in page and f' href="{own}">Choose the side of 2 Ada</a>' in page
        change_side(ada, "right", by=director)
        close_registration(event, by=director)
        assert "Choose the side of" not in client.get(draw).content.decode()

    def test_a_late_entry_without_a_side_prevents_sealing(self) -> None:
        event = of_sides()
        an_entrant(event, "Alan", side="left")
        close_registration(event, by=a_director(event.tournament))
        an_entrant(event, "Ada")
        with pytest.raises(DomainError, match="no side yet"):
            renew_commitment(event, by=a_director(event.tournament))

    def test_an_event_without_sides_closes_as_usual(self) -> None:
        event = an_event(a_tournament(), state=Event.State.OPEN)
        an_entrant(event, "Alan")
        close_registration(event, by=a_director(event.tournament))
