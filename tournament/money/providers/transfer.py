"""Payment by bank transfer."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournament.models import Entrant
from tournament.money.selectors.incoming import reference_of_entry


class PayByTransfer:
    """A bank transfer with the reference of the entry, by which the desk finds it."""

    name = "transfer"
    label = _("By bank transfer, with a reference")
    template = "tournament/money/providers/transfer.html"

    def is_ready(self) -> bool:
        return True

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]:
        owner = entrant.joined_to or entrant
        return {"reference": reference_of_entry(owner), "account": entrant.event.tournament.bank_account}
