"""The style guide at /styleguide/, which shows every component with sample content and needs no database.

`?frame=phone` and `?frame=wall` show other page frames, and `?errors` shows a form with errors.
"""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import django_tables2 as tables
from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.core.pages.access import sign_in_required
from tournament.core.pages.list_reading import ListParsingChoice, ListParsingChoices
from tournament.core.tables.lists import ListRequestConfig
from tournament.ports import NextMatchSummary


@sign_in_required
def styleguide(request: HttpRequest) -> HttpResponse:
    if request.GET.get("frame") == "wall":
        return render(
            request, "tournament/core/styleguide/wall.html", _make_frame_context() | {"matches": _make_matches() * 6}
        )
    base = "base.html" if request.GET.get("frame") == "phone" else "base_console.html"
    return render(
        request,
        "tournament/core/styleguide/console.html",
        {"base": base} | _make_frame_context() | _make_components_context(request),
    )


def _make_frame_context() -> dict[str, Any]:
    return {
        "tournament": SAMPLE_TOURNAMENT,
        "event": {"name": "Singles"},
        "console_nav": _make_console_menu(),
        "site_nav": _make_site_menu(),
    }


def _make_components_context(request: HttpRequest) -> dict[str, Any]:
    table = _SampleTable(_make_entrants())
    ListRequestConfig(request, 8).configure(table)
    now = datetime.now(UTC)
    return {
        "matches": _make_matches(),
        "rounds": _make_rounds(),
        "path": {"label": "My path", "matches": _make_matches()[:2]},
        "sheet": _make_sheet(),
        "names": ["Ada Lovelace", "Alan Turing"],
        "meld": ["7H", "7D", "7C"],
        "running": SAMPLE_RUNNING_TOTALS,
        "steps": SAMPLE_STEPS,
        "next_step": SAMPLE_NEXT_STEP,
        "signatures": _make_signatures(),
        "states": STATE_CODES,
        "proof": SAMPLE_DRAW_PROOF,
        "changes": SAMPLE_CHANGES,
        "jobs": _make_jobs(),
        "next": NextMatchSummary("You play", 12, "Alan Turing", about=now + timedelta(hours=1)),
        "until": now + timedelta(minutes=4, seconds=5),
        "since": now - timedelta(minutes=12),
        "form": _SampleForm({"name": "", "email": "ada@", "how": "cash"}) if "errors" in request.GET else _SampleForm(),
        "table": table,
        "page": Paginator(range(90), 10).page(2),
        "waiting": SAMPLE_WAITING_ITEMS,
        "reading": SAMPLE_PARSING_CHOICES,
    }


class _SampleForm(forms.Form):
    name = forms.CharField(help_text="As it is shown to everybody.")
    email = forms.EmailField(label="Email", required=False)
    club = forms.ChoiceField(
        choices=[("", "None"), ("a", "Analytical Engine Club"), ("b", "Bletchley Park")], required=False
    )
    count = forms.IntegerField(min_value=0, label="Count", widget=forms.NumberInput(attrs={"inputmode": "numeric"}))
    how = forms.ChoiceField(choices=[("cash", "Cash"), ("card", "Card")], widget=forms.RadioSelect, label="Paid by")
    notes = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), required=False)
    consent = forms.BooleanField(label="My name may be shown on public pages.", help_text="Results are always public.")


class _SampleTable(tables.Table):
    number = tables.Column(verbose_name="No.", attrs={"th": {"class": "is-number"}, "td": {"class": "is-number"}})
    name = tables.Column(verbose_name="Name")
    club = tables.Column(verbose_name="Club or city")
    state = tables.Column(verbose_name="State")
    owed = tables.Column(verbose_name="Owes", attrs={"th": {"class": "is-money"}, "td": {"class": "is-money"}})

    caption = "Entrants"
    row_header = "name"
    search_field = "q"
    search_label = "Search names"
    export_links = ({"label": "CSV", "url": "#csv"}, {"label": "XLSX", "url": "#xlsx"})


# --- Made-up contents ------------------------------------------------------------------------------------------------
SAMPLE_TOURNAMENT = {
    "name": "Autumn Gin Rummy Classic",
    "venue": "Riverside Hotel, Reno",
    "contact": "Grace Hopper, 555-0199",
    "currency": "USD",
    "time_zone": "America/Los_Angeles",
    "is_demo": True,
}
SAMPLE_SECTIONS = (
    ("today", "Today", 11),
    ("entrants", "Players", 3),
    ("draw", "Draw & rounds", 0),
    ("cards", "Score cards", 2),
    ("seal", "Rulings", 0),
    ("money", "Money", 0),
    ("prints", "Print", 0),
    ("settings", "Setup", 0),
)
STATE_CODES = [
    "draft", "open", "closed", "drawn", "in-play", "finished", "called-off", "applied", "in", "waiting", "refused",
    "withdrawn",
    "no-show", "paid", "owing", "playing", "unsigned", "signed", "posted", "final", "disputed", "overdue", "void",
    "bye", "walk-over",
]  # fmt: skip
SHORT_HEADINGS = {"Hand": "#", "Points": "+", "Total": "="}
SAMPLE_RUNNING_TOTALS = [[32, 0], [32, 18], [61, 18], [61, 18], [83, 18], [83, 52], [131, 52], [131, 98], [163, 98]]
SAMPLE_STEPS = [
    {"label": "Entered", "state": "done", "note": "Nov 2"},
    {"label": "Approved", "state": "done", "note": "by the director"},
    {"label": "Fee", "state": "now", "note": "$300.00 to pay at the desk", "url": "#fee"},
    {"label": "Check-in", "state": "next"},
    {"label": "Draw", "state": "next"},
]
SAMPLE_NEXT_STEP = {
    "label": "Post the draw",
    "text": "The draw is made. Look at it, then post it for everybody to see.",
    "url": "#post-draw",
    "posts": True,
    "is_mine": True,
    "instead": {"label": "Look at the draw", "url": "#draw"},
}
SAMPLE_DRAW_PROOF = [
    {"label": "Published before the draw (SHA-256)", "value": "", "digest": "9f86d081884c7d659a2feaa0c55ad015" * 2},
    {"label": "What the room saw", "value": "7♥︎ Q♠︎ 2♦︎"},
]
SAMPLE_CHANGES = [{"what": "Hand 3", "was": "Lovelace 25", "now": "Turing 28"}]
SAMPLE_PARSING_CHOICES = ListParsingChoices(
    "cp1252",
    ",",
    encodings=(
        ListParsingChoice("cp1252", ("Kurt Gödel", "André Weil"), is_chosen=True),
        ListParsingChoice("cp1250", ("Kurt Gödel", "André Weil"), is_chosen=False, is_likely=False),
    ),
    asks_encoding=True,
    orders=(
        ListParsingChoice("month-day", ("03/04/2026", "March 4, 2026"), is_chosen=False),
        ListParsingChoice("day-month", ("03/04/2026", "April 3, 2026"), is_chosen=False),
    ),
    asks_order=True,
)
"""A sample list whose encoding and date order are both ambiguous."""
SAMPLE_WAITING_ITEMS = [
    {"what": "Dispute at table 9", "note": "4 min", "state": "disputed", "act": "Rule on it"},
    {"what": "3 registrations to approve", "note": "oldest since 9:40", "state": "applied", "act": "Look at them"},
    {"what": "2 cards unsigned", "note": "tables 4 and 11", "state": "unsigned", "act": "Take signatures"},
    {"what": "5 waiting for a table", "note": "round 2", "state": "waiting", "act": "Give tables"},
]


def _make_console_menu() -> list[dict[str, Any]]:
    return [
        {"key": key, "label": label, "url": f"#{key}", "count": count, "current": "page" * (key == "today")}
        for key, label, count in SAMPLE_SECTIONS
    ]


def _make_site_menu() -> list[dict[str, Any]]:
    labels = ("Event", "Bracket", "Tables", "Standings", "Entrants", "Draw", "Prizes", "Rules")
    return [{"label": label, "url": f"#{label.lower()}", "current": label == "Bracket"} for label in labels]


def _make_side(name: str, number: int, score: int | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "number": number, "score": score, **more}


def _make_matches() -> list[dict[str, Any]]:
    lovelace, turing = _make_side("Ada Lovelace", 12, 131, mine=True), _make_side("Alan Turing", 7, 83)
    curie, noether = _make_side("Marie Skłodowska-Curie", 3, 150, winner=True), _make_side("Emmy Noether", 44, 120)
    long_name = _make_side("Maria Gaetana Agnesi-Bartholomew of Bologna", 101)
    goedel = _make_side("Kurt Gödel", 9, winner=True)
    unknown = {"name": "", "score": None, "from": "Winner of match 7"}
    return [
        _make_match(1, "playing", [lovelace, turing], table=12, mine=True, url="#match-1"),
        _make_match(2, "posted", [curie, noether], table=11, url="#match-2"),
        _make_match(3, "waiting", [long_name, unknown]),
        _make_match(4, "walk-over", [goedel, _make_side("Paul Erdős", 23)], note="Paul Erdős did not show."),
    ]


def _make_match(number: int, state: str, sides: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"id": number, "label": f"Round 2, match {number}", "state": state, "sides": sides, **more}


def _make_rounds() -> list[dict[str, Any]]:
    rounds = []
    for index, label in enumerate(("Round 1", "Round 2", "Semi-finals", "Final")):
        size = 8 >> index
        boxes = [{**match, "id": f"{index}-{n}"} for n, match in enumerate((_make_matches() * 2)[:size])]
        rounds.append({"key": str(index + 1), "label": label, "matches": boxes, "current": index == 1})
    return rounds


def _make_sheet() -> dict[str, Any]:
    hands = [
        ("1", "8H", "Gin", "32", "32", "", ""),
        ("2", "TS", "Knock", "", "", "18", "18"),
        ("3", "4D", "Undercut", "29", "61", "", ""),
        ("4", "AC", "Dead", "", "", "", ""),
        ("5", "QH", "Knock", "22", "83", "", ""),
        ("6", "", "Points", "", "", "34", "52"),
    ]
    lines: list[dict[str, Any]] = [{"cells": [_make_cell(i, text) for i, text in enumerate(hand)]} for hand in hands]
    totals = ("Total", "", "", "", "83", "", "52")
    correction = {"was": "12", "by": "G. Hopper", "official": True, "reason": "agreed by both", "at": "14:05"}
    lines[4]["cells"][3] = {"text": "22", "css": "is-number", "correction": correction}
    lines[4]["correction"] = correction
    block = {
        "groups": [{"label": "", "span": 3}, {"label": "Ada Lovelace", "span": 2}, {"label": "Alan Turing", "span": 2}],
        "columns": [
            {"label": label, "numeric": index > 2, "short": SHORT_HEADINGS.get(label, "")}
            for index, label in enumerate(("Hand", "Up", "How", "Points", "Total", "Points", "Total"))
        ],
        "width": 7,
        "lines": lines,
        "foot": [{"cells": [{"text": text, "css": _choose_cell_css(index)} for index, text in enumerate(totals)]}],
    }
    workings = [(1, "gin: 7 and the bonus of 25"), (3, "undercut: 8 against 4, difference 4, bonus 25")]
    caption = "Game 2, Ada Lovelace and Alan Turing"
    return {"caption": caption, "blocks": [block], "workings": workings, "target": 150, "has_boxes": True}


def _make_cell(index: int, text: str) -> dict[str, Any]:
    if index == 1 and text:
        return {"card": text}
    is_boxed = bool(index in (3, 5) and text)
    css = _choose_cell_css(index) + " is-box" * is_boxed
    return {"text": text, "numeric": index == 0, "css": css, "mark": "box" * is_boxed}


def _choose_cell_css(index: int) -> str:
    return "is-number" * (index > 2) + " is-strong" * (index in (4, 6))


def _make_signatures() -> list[dict[str, Any]]:
    wave = [[40 + 14 * i, 160 + (-1) ** i * (70 - 3 * i), 20 * i] for i in range(20)]
    stroke = [[330, 210, 500], [480, 190, 540], [640, 205, 600]]
    digest = "4c1d9e0b7f3a8825" * 4
    return [
        {"name": "Ada Lovelace", "method": "drawn", "strokes": [wave, stroke], "at": "14:02", "digest": digest},
        {"name": "Alan Turing", "method": "code", "at": "14:03", "digest": digest, "device": "iPhone"},
        {
            "name": "Emmy Noether",
            "method": "paper",
            "witness": "Grace Hopper",
            "at": "13:40",
            "fallen": "The card was changed at 13:52; please sign again.",
        },
        {"name": "Kurt Gödel"},
    ]


def _make_jobs() -> list[SimpleNamespace]:
    return [
        SimpleNamespace(pk=1, title="Cards of round 2", state="running", done=38, total=64, message=""),
        SimpleNamespace(pk=2, title="Bracket poster", state="done", done=1, total=1, message=""),
        SimpleNamespace(
            pk=3,
            title="Receipts",
            state="failed",
            done=3,
            total=9,
            message="The printer's paper size is not set. Set it under Settings and start again.",
        ),
    ]


def _make_entrants() -> list[dict[str, Any]]:
    people = (
        ("Ada Lovelace", "London", "In", "$0.00"),
        ("Alan Turing", "Bletchley Park", "In", "$300.00"),
        ("Marie Skłodowska-Curie", "Paris", "Waits for approval", "$300.00"),
        ("Maria Gaetana Agnesi-Bartholomew of Bologna", "", "On the waiting list", "$0.00"),
    )
    columns = ("number", "name", "club", "state", "owed")
    return [dict(zip(columns, (n + 1, *people[n % 4]), strict=True)) for n in range(22)]
