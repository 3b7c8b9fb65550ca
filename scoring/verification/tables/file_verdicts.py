"""The words for the findings in a file, for the page and the command alike."""

from collections import Counter
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.prints.pdf.printed_cards import OldStamp, Printed
from scoring.verification.pdf.file_checks import FileVerdict
from scoring.verification.pdf.printed_checks import UnsignedFound
from scoring.verification.selectors.proofs import Authenticity

MARKS: Final = {
    Authenticity.GENUINE: (gettext_lazy("Genuine"), "good"),
    Authenticity.UNSIGNED: (gettext_lazy("Not signed"), ""),
    Authenticity.OUTDATED: (gettext_lazy("Outdated stamp"), "wait"),
    Authenticity.DISAGREES: (gettext_lazy("Differs from the result"), ""),
    Authenticity.SUPERSEDED: (gettext_lazy("Superseded"), ""),
    Authenticity.ALTERED: (gettext_lazy("Altered"), "bad"),
    Authenticity.UNKNOWN: (gettext_lazy("Unknown here"), "bad"),
}
"""The word and the tone of the badge for each standing. An empty tone is the standing's usual one."""


def counted_words(verdict: FileVerdict) -> str:
    """Return the number of cards by standing, such as “2 cards in this file: 1 genuine, 1 superseded.”

    The text is empty if the file has fewer than two cards or rulings, or all are genuine.
    """
    many = Counter(one.standing for one in verdict.found)
    if len(verdict.found) < 2 or set(many) == {Authenticity.GENUINE}:
        return ""
    each = ", ".join(_counted(standing, many[standing]) for standing in Authenticity if many[standing])
    of_cards = verdict.cards or verdict.unsigned
    said = (
        _("%(count)s score cards in this file: %(each)s.")
        if of_cards
        else _("%(count)s rulings in this file: %(each)s.")
    )
    return said % {"count": many.total(), "each": each}


def _counted(standing: Authenticity, count: int) -> str:
    said = {
        Authenticity.GENUINE: _("%(count)s genuine"),
        Authenticity.UNSIGNED: _("%(count)s not signed"),
        Authenticity.OUTDATED: _("%(count)s with an outdated stamp"),
        Authenticity.DISAGREES: _("%(count)s different from the result"),
        Authenticity.SUPERSEDED: _("%(count)s superseded"),
        Authenticity.ALTERED: _("%(count)s altered"),
        Authenticity.UNKNOWN: _("%(count)s unknown here"),
    }
    return said[standing] % {"count": count}


def unsigned_words(found: UnsignedFound) -> str:
    """Return the reason why the card is not sealed in the file."""
    if found.printed.kind == Printed.CLOSED:
        return _("This score card was closed before the end of the game, so it has no signatures.")
    if found.printed.kind == Printed.NO_SEAL:
        return _("This score card was signed before there were seals.")
    if found.printed.kind == Printed.UNKNOWN:
        return _("There is no signed score card on this page.")
    return _("Not all players had signed this score card when it was printed.")


def pages_words(found: UnsignedFound) -> str:
    pages = found.printed.pages
    said = ngettext("page %(pages)s", "pages %(pages)s", len(pages))
    return said % {"pages": ", ".join(map(str, pages))}


def stamp_words(stamp: OldStamp) -> tuple[str, str]:
    """Return the words of the stamp, and those of the current record."""
    said = _("It said: “%(said)s”") % {"said": stamp.said}
    return said, _("On record now: %(now)s") % {"now": stamp.now}
