"""Public pages that explain each of the desk's pairings, with the input for verifying it."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairing.desk.selectors.proofs import PairingProof, load_pairings, load_proof
from pairing.models import PAIRING_AND_RESULT_TOPICS, Pairing
from pairing.stages.selectors.boards import is_paired_at_opening
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.tables.stages import OPTIMALITY_PROOF_TEXTS
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.core.pages.responses import make_event_url
from tournament.core.selectors.events import load_entry_names
from tournament.errors import NotFound
from tournament.lazy_text import read_recorded_texts
from tournament.models import Event

MAX_LISTED_PAIRINGS = 400


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def show_all_pairing_proofs(request: HttpRequest, event: Event) -> HttpResponse:
    """Show every pairing that was sent, newest first, with the reasons for it."""
    sent, names = load_pairings(event), load_entry_names(event)
    wholes = {pairing.pk: pairing for pairing in sent}
    shown = [
        _make_proof_row(PairingProof(pairing, wholes.get(pairing.record.get("with", 0), pairing), names))
        for pairing in sent[:MAX_LISTED_PAIRINGS]
    ]
    # A stage that is not paired at the desk explains its pairings on a page of its own.
    stages = [(stage.number, stage.name) for stage in load_event_stages(event).stages if is_paired_at_opening(stage)]
    context = {"rows": shown, "more": max(0, len(sent) - MAX_LISTED_PAIRINGS), "stages": stages}
    context["best"] = any(row["has_case"] for row in shown)
    return render(request, "pairing/desk/proofs.html", context)


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def show_pairing_proof(request: HttpRequest, event: Event, pairing: int) -> HttpResponse:
    found = _require_proof(event, pairing)
    record = found.record
    context = {
        "row": _make_proof_row(found),
        "proof": found,
        "cost": record.get("cost"),
        "stay": [
            (found.names.get(entry, str(entry)), text) for entry, text in read_recorded_texts(record, "stay") if text
        ],
        "case_size": len(record.get("case", {}).get("entries", [])),
        "others": max(0, len(record.get("pairs", [])) - len(found.pairs)),
        "kept": any(record.get("kept_apart", {}).values()),
        "json_url": make_event_url(event, "pairing:proof_json", pairing=found.pairing.pk),
        "facts": _make_cost_rows(record),
    }
    return render(request, "pairing/desk/proof.html", context)


@public_event_view
@follows_topics(*PAIRING_AND_RESULT_TOPICS)
@cached_by_version
def pairing_proof_json(request: HttpRequest, event: Event, pairing: int) -> HttpResponse:
    """Return a recorded pairing as JSON.

    `case` is an input line for the `pair` command. The command's result can be compared with `pairs` and `bye`.
    """
    found = _require_proof(event, pairing)
    sent = found.pairing
    answer = {
        "ok": True,
        "pairing": sent.pk,
        "stage": sent.stage.name,
        "round": sent.round,
        "sent": sent.at.isoformat(),
        "sent_pairs": sent.pairs,
        "by_hand": sent.by_hand,
        "taken_back": found.is_taken_back,
        **found.record,
    }
    return JsonResponse(answer, json_dumps_params={"ensure_ascii": False})


def _require_proof(event: Event, pairing: int) -> PairingProof:
    found = load_proof(event, pairing)
    if found is None:
        raise NotFound("no-pairing", _("There is no such pairing. Look at the list of pairings."))
    return found


def _make_proof_row(found: PairingProof) -> dict[str, Any]:
    sent: Pairing = found.pairing
    return {
        "pk": sent.pk,
        "at": sent.at,
        "stage": sent.stage.name,
        "round": sent.round,
        "by_hand": sent.by_hand,
        "has_case": "case" in found.record,
        "reason": sent.reason,
        "breaks": found.broken_rules,
        "pairs": [
            {"names": [(side, found.names.get(side, str(side))) for side in pair], "reason": found.find_reason(pair)}
            for pair in found.pairs
        ],
        "bye": (sent.bye, found.names.get(sent.bye, str(sent.bye))) if sent.bye else None,
        "bye_reason": found.bye_reason,
        "taken_back": getattr(sent, "taken_back", None) if found.is_taken_back else None,
    }


def _make_cost_rows(record: dict[str, Any]) -> list[dict[str, Any]]:
    cost = record.get("cost")
    if cost is None:
        return []
    return [
        {"label": _("Rematches"), "value": cost["rematches"]},
        {"label": _("Spread (sum of squared differences in wins)"), "value": cost["spread"]},
        {"label": _("Why it is the smallest"), "value": OPTIMALITY_PROOF_TEXTS.get(record.get("proof", ""), "")},
        {"label": _("Random seed"), "value": record["case"]["seed"]},
    ]
