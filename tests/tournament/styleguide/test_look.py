from __future__ import annotations

import hashlib
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest
from django.template import Template
from django.template.loader import get_template
from django.test import RequestFactory
from django.test.signals import template_rendered
from django.test.utils import instrumented_test_render
from django.urls import NoReverseMatch, reverse

from tournament.core.pages.styleguide import styleguide
from tournament.core.services.strokes import SIGNATURE_PAD_WIDTH

BASE = Path(settings.BASE_DIR)
STATIC = BASE / "static"
TEMPLATES = sorted((BASE / "templates").rglob("*.html"))
NAMES = [str(path.relative_to(BASE / "templates")) for path in TEMPLATES]
COMPONENTS = sorted(name for name in NAMES if name.startswith("components/"))
PARTS_OF_OTHER_PAGES = {"components/account_links.html", "components/by_link.html", "components/error_page.html"}

TOKENS = (STATIC / "css" / "tokens.css").read_text()
COLOUR = re.compile(r"--([a-z-]+):\s*(#[0-9A-Fa-f]{6});")


def _tokens(scheme: str) -> dict[str, str]:
    day, night = TOKENS.split("@media screen and (prefers-color-scheme: dark)")
    light = dict(COLOUR.findall(day))
    return light if scheme == "light" else light | dict(COLOUR.findall(night))


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors, as defined by WCAG 2.2."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


GROUNDS = ("paper", "card", "well", "felt-soft", "red-soft", "brass-soft")
TEXT = [
    *((text, ground) for text in ("ink", "slate") for ground in GROUNDS),
    *((text, ground) for text in ("felt", "red") for ground in ("paper", "card")),
    ("felt-deep", "felt-soft"),
    ("on-felt", "felt"),
    ("on-felt", "felt-deep"),
    ("on-red", "red"),
    ("on-head", "head"),
]
STATES = [
    *((tone, f"{tone}-soft") for tone in ("felt", "red", "brass")),
    *((tone, ground) for tone in ("felt", "red", "brass") for ground in ("paper", "card", "well")),
]
SHAPES = [("edge", ground) for ground in ("paper", "card", "well")] + [("felt", "well"), ("edge", "felt-soft")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 7), (STATES, 4.5), (SHAPES, 3)], ids=["text", "states", "shapes"])
def test_every_pair_of_tokens_that_pages_use_has_its_contrast(
    scheme: str, pairs: list[tuple[str, str]], least: float
) -> None:
    colours = _tokens(scheme)
    measured = {pair: round(_contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in measured.items() if ratio < least} == {}


def test_black_on_white_is_twenty_one_to_one() -> None:
    assert _contrast("#000000", "#FFFFFF") == pytest.approx(21)


def test_colors_are_defined_in_one_file() -> None:
    """The exceptions are signature pads and QR codes, which look like paper even in dark mode."""
    strays = {
        f"{path.name}: {colour}"
        for path in sorted((STATIC / "css").glob("*.css"))
        if path.name not in ("tokens.css", "print.css")
        for colour in re.findall(r"#[0-9A-Fa-f]{3,8}\b", path.read_text())
    }
    assert strays == {"forms.css: #FFFFFF", "forms.css: #6B7680"}


def test_every_variable_that_is_used_is_defined() -> None:
    css = "".join(path.read_text() for path in (STATIC / "css").glob("*.css"))
    defined = set(re.findall(r"(--[a-z0-9-]+):", css + (STATIC / "vendor" / "bootstrap.min.css").read_text()))
    assert set(re.findall(r"var\((--[a-z0-9-]+)", css)) - defined == set()


def test_vendored_files_have_their_recorded_sums() -> None:
    folder = STATIC / "vendor"
    kept = dict(reversed(line.split()) for line in (folder / "SUMS").read_text().splitlines())
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.*s")}
    assert found == kept


def test_no_file_points_to_a_source_map_that_is_not_there() -> None:
    files = [*STATIC.rglob("*.css"), *STATIC.rglob("*.js"), Path(finders.find("django_htmx/htmx-2.min.js"))]
    assert [path.name for path in files if "sourceMappingURL" in path.read_text()] == []


INLINE = re.compile(
    r"""<style\b | \sstyle\s*= | \son[a-z]+\s*=\s*["'] | javascript: |
        <script(?![^>]*\bsrc=)(?![^>]*type="application/json") """,
    re.VERBOSE | re.IGNORECASE,
)


@pytest.mark.parametrize("path", TEMPLATES, ids=NAMES)
def test_nothing_is_inline(path: Path) -> None:
    assert INLINE.findall(path.read_text()) == []


def test_inline_code_would_be_found() -> None:
    for bad in ('<p style="x">', "<script>", '<a onclick="x">', "<style>", '<a href="javascript:x">'):
        assert INLINE.search(bad), bad
    assert not INLINE.search('<script src="x.js" defer></script>')


@pytest.mark.parametrize("name", NAMES)
def test_every_template_can_be_read(name: str) -> None:
    assert get_template(name)


def test_every_static_file_and_icon_that_templates_name_is_there() -> None:
    text = "".join(path.read_text() for path in TEMPLATES)
    files = set(re.findall(r"""{% static ['"]([^'"]+)['"]""", text))
    assert {name for name in files if finders.find(name) is None} == set()
    sprite = (STATIC / "img" / "sprite.svg").read_text()
    icons = set(re.findall(r"""{% icon ['"]([^'"]+)['"]""", text))
    assert icons - set(re.findall(r'<symbol id="([^"]+)"', sprite)) == set()


def _staff_request(query: str = "") -> HttpRequest:
    request = RequestFactory().get(f"/styleguide/{query}")
    request.user = SimpleNamespace(is_authenticated=True, name="Ada Lovelace", email="ada@example.org")  # type: ignore[assignment]
    request.htmx = False  # type: ignore[attr-defined]
    return request


def test_the_style_guide_shows_every_component(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Template, "_render", instrumented_test_render)  # the tests' own notes only whole pages
    shown: set[str | None] = set()

    def note(template: Template, **_more: object) -> None:
        shown.add(template.name)

    template_rendered.connect(note)
    try:
        page = styleguide(_staff_request())
    finally:
        template_rendered.disconnect(note)
    assert page.status_code == 200
    assert set(COMPONENTS) - shown == PARTS_OF_OTHER_PAGES


@pytest.mark.parametrize("query", ["?frame=phone", "?frame=wall", "?errors=1"])
def test_the_style_guide_comes_in_every_frame(query: str) -> None:
    page = styleguide(_staff_request(query)).content.decode()
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) > 5
    assert {one for one in ids if ids.count(one) > 1 and "match-" not in one} == set()


def test_the_style_guide_is_for_staff() -> None:
    request = _staff_request()
    request.user = SimpleNamespace(is_authenticated=False)  # type: ignore[assignment]
    assert styleguide(request).status_code == 302


def test_the_style_guide_is_served_only_with_debug() -> None:
    assert not settings.DEBUG
    with pytest.raises(NoReverseMatch):
        reverse("tournament:styleguide")


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_component_documents_its_arguments(name: str) -> None:
    assert (BASE / "templates" / name).read_text().startswith("{% comment %}")


def test_the_pad_and_the_drawing_mean_the_same_units() -> None:
    assert f"const UNITS = {SIGNATURE_PAD_WIDTH};" in (STATIC / "js" / "signature.js").read_text()
