"""The suggested next step for an event, and the first steps in a new tournament."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

REQUIRED_ACTION_BY_PAGE: Final = {
    "tournament:open_event": "direct",
    "tournament:event_setup": "direct",
    "scoring:ready_events": "direct",
    "pairing:desk_draw": "direct",
    "pairing:desk_partners": "direct",
    "pairing:desk_finish": "direct",
    "pairing:desk_end_early": "direct",
    "scoring:start_play": "direct",
    "tournament:desk_card_payments": "direct",
    "tournament:desk_backups": "direct",
    "tournament:new_entrant": "desk",
    "tournament:desk_checkin": "desk",
    "tournament:desk_job_again": "desk",
    "tournament:desk_message": "desk",
    "tournament:desk_link_requests": "desk",
    "pairing:desk_tables": "desk",
    "pairing:desk_late_bye": "desk",
    "pairing:desk_pairing": "desk",
    "pairing:desk_stages": "desk",
    "pairing:desk_late": "desk",
    "tournament:desk_close": "desk",
    "tournament:desk_drawers": "desk",
    "pairing:desk_seatings": "desk",
    "pairing:desk_results": "desk",
    "pairing:desk_decide": "desk",
    "scoring:desk_rounds": "desk",
    "scoring:desk_rulings": "desk",
    "scoring:desk_prints": "desk",
    "scoring:desk_time": "desk",
}
"""The permission that each page requires. Read-only staff can open all other pages."""


def find_required_permission(page: str) -> str:
    return REQUIRED_ACTION_BY_PAGE.get(page, "look")


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one action that moves an event forward, with its button, explanation and page.

    `query` and `setup_step` are parts of the URL. If `posts` is true, the button performs the action directly. `needs`
    is the required permission. `blocked_by` contains codes of issues to resolve first. `instead` is another step, which
    gets a second button.
    """

    label: str
    text: str
    page: str
    needs: str = ""
    query: str = ""
    setup_step: str = ""
    posts: bool = False
    blocked_by: frozenset[str] = frozenset()
    instead: "NextStep | None" = None

    def is_allowed_for(self, acts: frozenset[str]) -> bool:
        return (self.needs or find_required_permission(self.page)) in acts


def find_first_setup_step(tournaments: int, events: int) -> NextStep | None:
    """Return the step that starts a setup: creating a tournament, or adding its first event.

    Return None if there is already an event.
    """
    if not tournaments:
        text = _("Start with its name, its venue and its days. Then add the events.")
        return NextStep(_("Set up a tournament"), text, "tournament:new_tournament", "look")
    if not events:
        text = _("Choose what you play. Fees, prizes and rules come filled in, and you can change them.")
        return NextStep(_("Add the first event"), text, "scoring:ready_events")
    return None
