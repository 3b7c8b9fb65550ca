"""Undone draws on the public pages, each with its seal, its order, and the reason it was undone."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from pairing.blind_draw.selectors import draw_record, partners_record
from pairing.models import Draw, PartnerDraw, Stage
from tournament.models import Event
from tournament.models.base import Fact

Names = Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _UndoneDraw:
    """An undone draw on a public page.

    `record` is the input of the verification command. `order` has entry numbers with names.
    Without `check_url` and `json_url`, only the command can verify the draw.
    """

    record: Mapping[str, Any]
    command: str
    order: list[tuple[int, str]]
    taken_back: Fact
    posted: Fact | None
    name: str = ""
    check_url: str = ""
    json_url: str = ""

    @property
    def line(self) -> str:
        return json.dumps(dict(self.record), ensure_ascii=False)


def old_draws(event: Event, draws: Iterable[Draw], names: Names) -> list[_UndoneDraw]:
    """Return the undone draws among those of `load_draws`, newest first."""
    return [
        _undone(event, made, names, draw_record(made), "draw", made.commitment.draw_id)
        for made in draws
        if hasattr(made, "taken_back")
    ]


def undone_partner_draws(event: Event, draws: Iterable[PartnerDraw], names: Names) -> list[_UndoneDraw]:
    """Return the undone draws among those of `load_partner_draws`, newest first."""
    return [
        _undone(event, made, names, partners_record(made), "partners", made.seal.draw_id)
        for made in draws
        if hasattr(made, "taken_back")
    ]


def undone_stage_draws(event: Event, names: Names) -> list[_UndoneDraw]:
    """Return the blind draws of stages that were opened and then undone, newest first."""
    found = Stage.objects.filter(draw__commitment__event=event, taken_back__isnull=False, record__has_key="seal")
    return [
        _UndoneDraw(
            {
                **stage.record["seal"],
                "public": stage.record["cut"],
                "numbers": sorted(stage.entries),
                "order": stage.record["order"],
            },
            "verify_draw",
            named(stage.record["order"], names),
            stage.taken_back,
            stage,
            name=stage.name,
        )
        for stage in found.select_related("taken_back").order_by("-pk")
    ]


def _undone(
    event: Event, made: Draw | PartnerDraw, names: Names, record: Mapping[str, Any], what: str, draw_id: str
) -> _UndoneDraw:
    slugs, query = {"tournament": event.tournament.slug, "event": event.slug}, {"draw": draw_id}
    return _UndoneDraw(
        record,
        f"verify_{what}",
        named(made.order, names),
        made.taken_back,
        getattr(made, "posted", None),
        check_url=reverse(f"pairing:check_{what}", kwargs=slugs, query=query),
        json_url=reverse(f"pairing:{what}_json", kwargs=slugs, query=query),
    )


def named(numbers: Iterable[int], names: Names) -> list[tuple[int, str]]:
    return [(number, names.get(number, "")) for number in numbers]
