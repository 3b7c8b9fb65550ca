"""References of entries, and the transfers that a bank reported."""

from django.db.models import QuerySet

from tournament.models import BankTransfer, Entrant, Tournament
from tournament.purse.references import find_references, make_reference


def reference_of_entry(entrant: Entrant) -> str:
    return make_reference(entrant.pk)


def entrants_by_reference(tournament: Tournament, text: str) -> list[Entrant]:
    """Whose references stand in a text. Who plays in a pair now is found as that pair; each once."""
    found = Entrant.objects.filter(pk__in=find_references(text), event__tournament=tournament)
    rows = found.select_related("event__tournament", "joined_to__event__tournament").order_by("pk")
    return list({whose.pk: whose for whose in (row.joined_to or row for row in rows)}.values())


def unmatched_transfers(tournament: Tournament) -> QuerySet[BankTransfer]:
    return tournament.transfers.filter(match=None).order_by("pk")


def matched_transfers(tournament: Tournament) -> QuerySet[BankTransfer]:
    """Those that were recorded as a payment or set aside, the newest first."""
    rows = tournament.transfers.exclude(match=None)
    return rows.select_related("match__line__entrant", "match__line__movement", "match__line__event").order_by("-pk")
