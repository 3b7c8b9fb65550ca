"""The title of a ruling, with the address of its page."""

from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.above import RulingStatement
from scoring.models import Ruling


def named(ruling: Ruling) -> RulingStatement:
    """Return a ruling's number and title, “Ruling 3, singles 9”, with its page."""
    title = _("Ruling %(number)s, %(rule)s") if ruling.rule else _("Ruling %(number)s")
    place = {"tournament": ruling.dispute.event.tournament.slug, "number": ruling.number}
    return RulingStatement(
        number=ruling.number,
        title=title % {"number": ruling.number, "rule": ruling.rule},
        address=reverse("scoring:public_ruling", kwargs=place),
    )
