"""Sentences that say why a pairing is the best possible one."""

from django.utils.translation import gettext_lazy

PROOFS = {
    "bound": gettext_lazy("no other pairing can be better than this limit"),
    "matching": gettext_lazy("an exact search of all pairings found nothing better"),
}
