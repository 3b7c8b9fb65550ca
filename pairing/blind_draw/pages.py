"""Prepare undone draws for the public pages, each with its seal, its order, and the reason it was undone."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pairing.blind_draw.selectors import make_draw_record, make_partner_draw_record
from pairing.models import Draw, PartnerDraw, Stage
from tournament.core.pages.responses import make_event_url
from tournament.models import Event

NamesByNumber = Mapping[int, str]


def list_numbers_with_names(numbers: Iterable[int], names: NamesByNumber) -> list[tuple[int, str]]:
    return [(number, names.get(number, "")) for number in numbers]


def list_undone_draws(event: Event, draws: Iterable[Draw | PartnerDraw], names: NamesByNumber) -> list[dict[str, Any]]:
    """Return template data for each of the given draws that was undone.

    The key `record` has the draw's published values, which `verify_draw` or `verify_partners` accepts as input.
    """
    undone = []
    for draw in draws:
        if not hasattr(draw, "taken_back"):
            continue
        kind, record = (
            ("draw", make_draw_record(draw)) if isinstance(draw, Draw) else ("partners", make_partner_draw_record(draw))
        )
        query = f"?draw={record['draw_id']}"
        undone.append(
            {
                "record": record,
                "order": list_numbers_with_names(draw.order, names),
                "taken_back": draw.taken_back,
                "posted": getattr(draw, "posted", None),
                "check_url": make_event_url(event, f"pairing:check_{kind}") + query,
                "json_url": make_event_url(event, f"pairing:{kind}_json") + query,
            }
        )
    return undone


def list_undone_stage_draws(event: Event, names: NamesByNumber) -> list[dict[str, Any]]:
    """Return template data for the draws of undone stages, newest first.

    `line` is the JSON line that `verify_draw` accepts as input.
    """
    stages = Stage.objects.filter(draw__commitment__event=event, taken_back__isnull=False, record__has_key="seal")
    undone = []
    for stage in stages.select_related("taken_back").order_by("-pk"):
        drawn = {"public": stage.record["cut"], "numbers": sorted(stage.entries), "order": stage.record["order"]}
        record = {**stage.record["seal"], **drawn}
        undone.append(
            {
                "record": record,
                "line": json.dumps(record, ensure_ascii=False),
                "order": list_numbers_with_names(stage.record["order"], names),
                "taken_back": stage.taken_back,
                "posted": stage,
                "name": stage.name,
            }
        )
    return undone
