"""A posted card that was changed and waits for signatures: the comparison expects that every page says so."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.template.backends.django import Template

from scoring.cards.services.hands import LineEntry, correct_line
from tests.devtools.whole_events.checks import compare_check
from tests.devtools.whole_events.compare_cards import WAITS, Cards, compare_card_pages
from tests.devtools.whole_events.compare_matches import compare_differences, problems_expected
from tests.devtools.whole_events.facts import read_facts
from tests.devtools.whole_events.words import Pages
from tests.kit import fresh
from tests.scoring.helpers.playing import an_event_in_play, gin, post, sign, the_card, the_director
from tests.verifying import put_on_record
from tournament.core.cached import clear_cache
from tournament.models import Event

pytestmark = pytest.mark.django_db


def looked_at(event: Event) -> list[str]:
    """What is found of the cards, their matches and *Today*."""
    cache.clear()
    facts, pages = read_facts(event), Pages(fresh(event))
    cards, wrong = Cards(facts, pages).read(list(facts.cards))
    found = [*wrong, *compare_differences(facts, pages, cards)]
    for own in cards:
        found += compare_card_pages(facts, pages, own, cards)
    return [str(one) for one in found]


def expected(event: Event) -> list[str]:
    """The matches that `verify_event` has to name; it names them, and no other."""
    facts = read_facts(event)
    cards, _wrong = Cards(facts, Pages(fresh(event))).read(list(facts.cards))
    found = problems_expected(facts, cards)
    other = [str(one) for one in compare_check(facts.tournament, event.slug, found, len(facts.cards))]
    assert [one for one in other if "draw order" not in one] == []
    return found


def changed(line: dict[str, Any] | None) -> Event:
    """Ada has won her two games; the second hand of the first is another since, and one of two has signed it."""
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"), games_to_win=2)
    for game in (1, 2):
        post(the_card(event, game=game))
    entry = LineEntry(line, via="desk") if line is not None else None
    correct_line(the_card(event), 2, entry, by=the_director(event), reason="miscounted")
    if line is not None:
        sign(the_card(event), event.entrants.get(number=1))
    put_on_record(event)
    return event


@pytest.mark.parametrize(("line", "named"), [(gin("A", 25, "9C"), []), (None, ["R1M1"])])
def test_a_changed_card_is_expected_on_every_page(line: dict[str, Any] | None, named: list[str]) -> None:
    event = changed(line)
    assert looked_at(event) == []
    assert expected(event) == named
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    clear_cache()
    assert looked_at(fresh(event)) == []


def test_a_changed_card_that_no_page_tells_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    event = changed(gin("A", 25, "9C"))
    render = Template.render

    def silent(own: Template, *given: Any, **named: Any) -> Any:
        found = render(own, *given, **named)
        return type(found)(WAITS.sub("…", found))

    monkeypatch.setattr(Template, "render", silent)
    found = looked_at(event)
    assert any("changed card" in one for one in found) and any("card and result" in one for one in found)
