"""The scoring app's implementation of the interface in `tournament/ports.py`."""

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import capitalize_first_letter
from scoring.card_state.tables import describe_line
from scoring.models import SheetLine
from scoring.seals.services.sealing import seal_bytes
from tournament.models import AuditEntry

__all__ = ["describe_log_details", "seal_bytes"]


def describe_log_details(entry: AuditEntry) -> str:
    if "card" not in entry.data or "hand" not in entry.data:
        return ""
    line = SheetLine.objects.filter(pk=entry.data.get("line"), card=entry.data["card"]).first()
    if line is None:
        return ""
    state = load_card_state_by_pk(line.card_id)
    return f"{capitalize_first_letter(state.name_line(entry.data['hand']))}: {describe_line(state, line.line)}"
