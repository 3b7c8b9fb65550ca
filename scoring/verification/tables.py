"""Describe in words the cards and rulings found in a PDF, and the differences between two versions of a card."""

import json
from collections import Counter
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.card_state.selectors.state import CardState, capitalize_first_letter
from scoring.card_state.tables import describe_line, end_with_period
from scoring.models import CardVersion, SheetLine
from scoring.prints.pdf.signed_cards import OutdatedStamp, PrintedStatus
from scoring.rules.evidence.content import VersionChange, compare_card_versions
from scoring.verification.pdf.file_checks import FileVerdict, UnsealedCardInFile
from scoring.verification.selectors.proofs import Authenticity
from tournament.templatetags.gin import local_day_time, minus

AUTHENTICITY_BADGES: Final = {
    Authenticity.GENUINE: (gettext_lazy("Genuine"), "good"),
    Authenticity.UNSIGNED: (gettext_lazy("Not signed"), ""),
    Authenticity.OUTDATED: (gettext_lazy("Outdated stamp"), "wait"),
    Authenticity.DISAGREES: (gettext_lazy("Differs from the result"), ""),
    Authenticity.SUPERSEDED: (gettext_lazy("Superseded"), ""),
    Authenticity.UNKNOWN: (gettext_lazy("Unknown here"), "bad"),
    Authenticity.ALTERED: (gettext_lazy("Altered"), "bad"),
}
"""The text and style of the badge for each kind of authenticity. If the style is empty, the default applies."""
CHANGED_PART_LABELS: Final = {
    "totals": gettext_lazy("Totals"),
    "winner": gettext_lazy("Winner"),
    "keeper": gettext_lazy("Keeps score"),
    "sides": gettext_lazy("Names in order"),
    "drawn": gettext_lazy("Draw at the table"),
    "table": gettext_lazy("Table"),
    "rules": gettext_lazy("Rule sheet"),
    "closed": gettext_lazy("Closed early"),
    "settlement": gettext_lazy("Settlement"),
}
"""Titles of the parts of a card's content, except for lines."""


def describe_authenticity_counts(verdict: FileVerdict) -> str:
    """Return the number of cards by authenticity, such as “2 cards in this file: 1 genuine, 1 superseded”.

    Return an empty string if all cards are genuine, or if there are fewer than two.
    """
    many = Counter(one.authenticity for one in verdict.parts)
    if len(verdict.parts) < 2 or set(many) == {Authenticity.GENUINE}:
        return ""
    each = ", ".join(_describe_count(standing, many[standing]) for standing in Authenticity if many[standing])
    if verdict.cards or verdict.unsigned:
        text = _("%(count)s score cards in this file: %(each)s.")
    else:
        text = _("%(count)s rulings in this file: %(each)s.")
    return text % {"count": many.total(), "each": each}


def _describe_count(standing: Authenticity, count: int) -> str:
    texts = {
        Authenticity.GENUINE: _("%(count)s genuine"),
        Authenticity.UNSIGNED: _("%(count)s not signed"),
        Authenticity.OUTDATED: _("%(count)s with an outdated stamp"),
        Authenticity.DISAGREES: _("%(count)s different from the result"),
        Authenticity.SUPERSEDED: _("%(count)s superseded"),
        Authenticity.UNKNOWN: _("%(count)s unknown here"),
        Authenticity.ALTERED: _("%(count)s altered"),
    }
    return texts[standing] % {"count": count}


def explain_missing_seal(card: UnsealedCardInFile) -> str:
    if card.printed.kind == PrintedStatus.CLOSED:
        return _("This score card was closed before the end of the game, so it has no signatures.")
    if card.printed.kind == PrintedStatus.NO_SEAL:
        return _("This score card was signed before there were seals.")
    if card.printed.kind == PrintedStatus.UNKNOWN:
        return _("There is no signed score card on this page.")
    return _("Not all players had signed this score card when it was printed.")


def format_page_numbers(card: UnsealedCardInFile) -> str:
    pages = card.printed.pages
    text = ngettext("page %(pages)s", "pages %(pages)s", len(pages))
    return text % {"pages": ", ".join(map(str, pages))}


def describe_stamp(stamp: OutdatedStamp) -> tuple[str, str]:
    """Return a sentence about the printed stamp, and one about the card's current status."""
    printed = _("It said: “%(said)s”") % {"said": stamp.printed_text}
    return printed, _("On record now: %(now)s") % {"now": stamp.current_status}


# --- Changes of a card -----------------------------------------------------------------------------------------------


def list_changes_between_versions(state: CardState, was: CardVersion, now: CardVersion) -> list[dict[str, str]]:
    """Return the changes between two versions for components/card_changes.html.

    Each change has the keys `what`, `was`, and `now`.
    """
    changes = compare_card_versions(json.loads(was.content), json.loads(now.content))
    return [_make_change(state, one) for one in changes if one.place not in ("complete", "lines_left")]


def list_changes_since_version(state: CardState, was: CardVersion) -> list[dict[str, str]]:
    """Return the changes from an earlier version to the current card, whether or not the current card is signed."""
    changes = compare_card_versions(json.loads(was.content), json.loads(state.content.as_bytes()))
    return [_make_change(state, one) for one in changes if one.place != "complete"]


def list_corrections_since_version(state: CardState, was: CardVersion) -> list[str]:
    """Describe the corrections made to hands or totals after a version was signed, oldest first."""
    lines = [line for entered in state.entered for line in (*entered.earlier, entered.fact)]
    changed = [line for line in lines if line.supersedes_id is not None and line.at > was.at]
    return [_describe_correction(state, line) for line in sorted(changed, key=lambda line: (line.at, line.pk))]


def _describe_correction(state: CardState, line: SheetLine) -> str:
    at = local_day_time(line.at, state.card.match.event.tournament)
    text = _("Corrected %(at)s, by %(by)s.") % {"at": at, "by": line.by_name}
    reason = line.reason.strip()
    return f"{text} {_('Reason: %(reason)s') % {'reason': end_with_period(reason)}}" if reason else text


def _make_change(state: CardState, one: VersionChange) -> dict[str, str]:
    what = capitalize_first_letter(state.name_line(one.number)) if one.number is not None else ""
    if one.place != "lines":
        what = str(CHANGED_PART_LABELS.get(one.place, one.place.replace("_", " ").capitalize()))
    return {
        "what": what,
        "was": _describe_value(state, one.place, one.old_value),
        "now": _describe_value(state, one.place, one.new_value),
    }


def _describe_value(state: CardState, place: str, value: Any) -> str:
    if value is None:
        return _("struck out") if place == "lines" else _("nothing")
    if place == "lines":
        return describe_line(state, value)
    names = dict(zip(state.letters, state.names, strict=True))
    if place == "drawn":
        return ", ".join(names.get(str(side), str(side)) for side in value)
    if place in ("winner", "keeper"):
        return names.get(str(value), str(value))
    if isinstance(value, dict) and value.keys() <= names.keys():
        return ", ".join(f"{names[side]} {minus(points)}" for side, points in value.items())
    if place == "sides":
        return " – ".join(str(side.get("name")) for side in value)
    return str(value) if isinstance(value, str | int) else _("changed")
