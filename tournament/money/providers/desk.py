"""Payment at the desk, which every installation is ready for."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournament.models import Entrant


class PayAtTheDesk:
    name = "desk"
    label = _("At the desk")
    template = "tournament/money/providers/desk.html"

    def is_ready(self) -> bool:
        return True

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]:
        return {}
