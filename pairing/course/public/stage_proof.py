"""Public pages that give the reasons for the pairings of stages that are not paired at the desk, with proof."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.course.public.stages import draw_line
from pairing.course.selectors.stage_boards import StageBoard, load_stage_board
from pairing.course.selectors.stage_proofs import drawn_of
from pairing.course.words.proofs import PROOFS
from pairing.draws.cases.drawn_reasons import Drawn
from pairing.draws.cases.formats import answer_pair
from pairing.models.match import PLAY
from pairing.stage_kinds.selectors.brackets import places_of
from pairing.stage_kinds.selectors.stage_state import StageState
from tournament.core.pages.access import public_event
from tournament.core.pages.following import follows, kept_by_version
from tournament.core.pages.responses import event_link
from tournament.errors import NotFound
from tournament.models import Event


@public_event
@follows(*PLAY)
@kept_by_version
def stage_proof(request: HttpRequest, event: Event, stage: int) -> HttpResponse:
    """Show each round or group: its pairings and byes, each with its reason."""
    board, found = _wanted(event, stage)
    drawn = drawn_of(found)
    if not drawn:
        return redirect(event_link(event, "pairing:proofs"))
    context = {
        "stage": found,
        "how": _how(found),
        "rounds": [_shown(board, one) for one in drawn],
        "draw": draw_line(found),
        "all_answer": all(one.answers for one in drawn),
        "json_url": event_link(event, "pairing:stage_proof_json", stage=found.number),
    }
    return render(request, "pairing/course/stage_proof.html", context)


def _how(stage: StageState) -> list[str]:
    record = stage.row.record
    if stage.play_off is not None:
        return [
            _("All byes are in round one, so that as few matches as possible are played."),
            _("Rematches are avoided where possible. Ties after that are broken by lot."),
        ]
    if stage.progress is None:
        dealt = _("The order is dealt to the groups back and forth: 1 2 3, 3 2 1, and so on.")
        return [f"{dealt} {_order(stage)}"] if len(record["groups"]) > 1 else [_("There is one group.")]
    if record.get("seeded"):
        return [" ".join([_("The first and the second can meet only in the final."), _order(stage)])]
    sealed = _("The order comes from the blind draw: a secret that was sealed before, and the cards the room cut.")
    return [sealed, _("It fills the bracket from top to bottom and skips the places that stay empty.")]


def _order(stage: StageState) -> str:
    return _("The order is that of the draw.") if stage.number == 1 else _("The order is that of the stage before.")


def _shown(board: StageBoard, drawn: Drawn) -> dict[str, Any]:
    return {
        "name": drawn.name,
        "pairs": [([(side, board.name(side)) for side in pair], board.called(why)) for pair, why in drawn.pairs],
        "byes": [(entry, board.name(entry), board.called(why)) for entry, why in drawn.byes],
        "members": [(entry, board.name(entry), why) for entry, why in drawn.members],
        "proof": PROOFS.get(drawn.proof, ""),
    }


@public_event
@follows(*PLAY)
@kept_by_version
def stage_proof_json(request: HttpRequest, event: Event, stage: int) -> HttpResponse:
    """Return each round with its reasons as JSON. `case` is an input line for `pair`, and `answer` its output."""
    _board, found = _wanted(event, stage)
    answer = {
        "ok": True,
        "stage": found.number,
        "name": found.name,
        "kind": found.kind.value,
        "places": places_of(found.row) if found.kind.traits.goes_on else None,
        "rounds": [_as_json(one) for one in drawn_of(found)],
    }
    return JsonResponse(answer, json_dumps_params={"ensure_ascii": False})


def _as_json(drawn: Drawn) -> dict[str, Any]:
    return {
        "name": drawn.name,
        "pairs": [list(pair) for pair, _why in drawn.pairs],
        "reasons": [[list(pair), why] for pair, why in drawn.pairs],
        "byes": [{"entry": entry, "why": why} for entry, why in drawn.byes],
        "members": [entry for entry, _why in drawn.members],
        "case": drawn.case,
        "answer": answer_pair(drawn.case),
        "answers": drawn.answers,
        "proof": drawn.proof,
    }


def _wanted(event: Event, number: int) -> tuple[StageBoard, StageState]:
    board = load_stage_board(event)
    found = board.course.stages[number - 1 : number] if board is not None and number else ()
    if board is None or not found:
        raise NotFound("no-stage", _("This stage is not open yet. Look at the stages of the event."))
    return board, found[0]
