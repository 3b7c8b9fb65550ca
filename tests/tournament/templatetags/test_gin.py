from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from tournament.templatetags import gin


@pytest.mark.parametrize(
    ("code", "text", "name", "red"),
    [
        ("8H", "8♥\ufe0e", "eight of hearts", True),
        ("TS", "10♠\ufe0e", "ten of spades", False),
        ("ad", "A♦\ufe0e", "ace of diamonds", True),
    ],
)
def test_a_card_has_symbols_and_a_spoken_name(code: str, text: str, name: str, red: bool) -> None:
    face = gin.card_face(code)
    assert face is not None
    assert (face.text, face.name, face.red) == (text, name, red)


@pytest.mark.parametrize("no_card", ["", None, "1H", "8X", "8HH", "<b>"])
def test_other_codes_have_no_card(no_card: str) -> None:
    assert gin.card_face(no_card) is None


def test_markup_in_a_hand_is_text() -> None:
    assert "<b>" not in gin.hand("<b> 8H")
    assert "eight of hearts" in gin.hand("<b> 8H")


def test_the_deck_has_four_rows_of_thirteen() -> None:
    codes = [[face.code for face in row["cards"]] for row in gin.deck_rows()]
    assert [len(row) for row in codes] == [13] * 4
    assert len({code for row in codes for code in row}) == 52


@pytest.mark.parametrize(
    ("cents", "currency", "text"),
    [
        (125000, "USD", "$1,250.00"),
        (-30000, "USD", "−$300.00"),
        (0, "EUR", "€0.00"),
        (500, "JPY", "¥500"),
        (None, "USD", ""),
    ],
)
def test_money(cents: int | None, currency: str, text: str) -> None:
    assert gin.money(cents, currency) == text


def test_a_large_amount_keeps_its_cents() -> None:
    assert gin.money(12345678901234567, "USD") == "$123,456,789,012,345.67"


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (12, "12th"), (22, "22nd"), (113, "113th")]
)
def test_ordinals(number: int, text: str) -> None:
    assert gin.ordinal(number) == text


@pytest.mark.parametrize(
    ("place", "text"), [("1", "1st"), (12, "12th"), ("5–8", "Tie for 5th–8th"), ("", ""), ("–", "–")]
)
def test_a_place_that_several_share_is_a_tie(place: str | int, text: str) -> None:
    assert gin.place_with_ordinal(place) == text


@pytest.mark.parametrize(("value", "text"), [("82", "82%"), ("82.50", "82.5%"), (18.0, "18%"), (None, "")])
def test_percent(value: str | float | None, text: str) -> None:
    assert gin.percent(value) == text


def test_times_are_the_venues() -> None:
    at = datetime(2026, 11, 7, 22, 2, tzinfo=UTC)
    venue = SimpleNamespace(time_zone="America/Los_Angeles")
    assert gin.local_time(at, venue) == gin.local_time(at, "America/Los_Angeles") == "2:02 PM"
    assert gin.local_day_time(at, venue) == "Nov 7, 2:02 PM"
    assert gin.moment(at, venue) == '<time datetime="2026-11-07T22:02:00+00:00">2:02 PM</time>'
    assert gin.month_day(at.date()) == "Nov 7" and gin.day_in_year(at.date()) == "Nov 7, 2026"


@pytest.mark.parametrize(("seconds", "text"), [(245, "4:05"), (59, "0:59"), (4320, "1:12:00"), (-245, "4:05")])
def test_a_clock_face(seconds: int, text: str) -> None:
    now = datetime(2026, 11, 7, 12, 0, tzinfo=UTC)
    assert gin.clock_face(now + timedelta(seconds=seconds), now) == text


def test_a_state_is_a_word_a_sign_and_a_tone() -> None:
    assert gin.state_badge("posted") == gin._Badge("Posted", "✓", "wait")
    assert gin.state_badge("disputed", word="Dispute, 4 min") == gin._Badge("Dispute, 4 min", "!", "bad")
    assert gin.state_badge("never-heard-of") == gin._Badge("Never heard of", "·", "plain")
    assert gin.state_badge("never-heard-of", tone="good") == gin._Badge("Never heard of", "✓", "good")


def test_a_winner_is_shown_in_words_not_only_by_color() -> None:
    sides = [{"name": "Ada <b>", "number": 1, "score": 150, "winner": True}, {"name": "Alan", "number": 2, "score": 0}]
    html = render_to_string("components/match_box.html", {"match": {"id": 7, "sides": sides, "state": "final"}})
    assert html.count("winner</span>") == 1
    assert "Ada &lt;b&gt;" in html
    assert "</span>0</span>" in html  # nought is a score


def test_a_correction_shows_what_was_and_who() -> None:
    correction = {"was": "12", "by": "G. Hopper", "official": True, "reason": "recount", "at": "14:05"}
    block = {
        "columns": [{"label": "Hand"}, {"label": "Points", "numeric": True}],
        "width": 2,
        "lines": [{"cells": [{"text": "1"}, {"text": "22", "correction": correction}], "correction": correction}],
    }
    html = render_to_string("components/score_sheet.html", {"sheet": {"caption": "Game 1", "blocks": [block]}})
    assert '<ins class="correction by-official">22</ins>' in html
    assert "</span>12</del>" in html
    assert "Corrected by G. Hopper, 14:05" in html


def test_an_invalid_signature_shows_the_reason_and_no_seal() -> None:
    signature = {"name": "Ada", "method": "code", "digest": "ab" * 32, "fallen": "The card was changed."}
    html = render_to_string("components/signature.html", {"signature": signature})
    assert "The card was changed." in html
    assert "signature-seal" not in html
