"""What is the same on every page is rendered once for a language, and knows nothing of the page."""

from __future__ import annotations

from django.template import Context, Template
from django.utils import translation


def test_it_is_rendered_once_for_each_language() -> None:
    page = Template("{% load i18n unchanging %}{% unchanging %}{% translate 'Yes' %}{% endunchanging %} {{ name }}")
    with translation.override("en"):
        first = page.render(Context({"name": "Ada"}))
        assert page.render(Context({"name": "Alan"})) == first.replace("Ada", "Alan")
    with translation.override("de"):
        assert page.render(Context({"name": "Ada"})) == "Ja Ada"
    with translation.override("en"):
        assert page.render(Context({"name": "Ada"})) == first == "Yes Ada"


def test_nothing_of_one_page_can_stand_on_another() -> None:
    page = Template("{% load unchanging %}{% unchanging %}[{{ name }}]{% endunchanging %}")
    assert page.render(Context({"name": "Ada"})) == "[]"
