"""Why a pairing is the best there is, in words."""

from django.utils.translation import gettext_lazy

PROOFS = {
    "bound": gettext_lazy("nothing can cost less: no pairing goes under this bound"),
    "matching": gettext_lazy("the exact matching over all pairs found nothing that costs less"),
}
