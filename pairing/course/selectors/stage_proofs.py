"""Explain the pairings of play-offs, first bracket rounds and groups, with the cases that prove them."""

from django.utils.translation import gettext as _

from pairing.draws.cases.drawn_reasons import Drawn, explain_drawn, explain_groups, explain_play_off, explain_seeded
from pairing.draws.places import Move
from pairing.stage_kinds.selectors.brackets import placing_of
from pairing.stage_kinds.selectors.stage_state import StageState
from tournament.said import from_kept


def has_drawn(stage: StageState) -> bool:
    """Return whether the opening of the stage determines its pairings."""
    return stage.kind.traits.two_meet and (stage.pool is None or bool(stage.row.record.get("groups")))


def drawn_of(stage: StageState) -> tuple[Drawn, ...]:
    """Return the known rounds of a play-off, the bracket, or each group. Empty if the desk pairs the stage."""
    record = stage.row.record
    if stage.play_off is not None:
        return tuple(explain_play_off(each) for each in stage.play_off.rounds)
    if stage.progress is not None:
        record = placing_of(stage.row)
        places = tuple(record["places"])
        if record.get("seeded"):
            return (explain_seeded(stage.kind, places),)
        byes = {bye["entry"]: from_kept(bye.get("text", bye["why"])) for bye in record.get("byes", ())}
        moves = [Move.from_json(move) for move in record.get("moves", ())]
        return (explain_drawn(stage.kind, record["order"], places, byes, moves),)
    if stage.pool is None or not record.get("groups"):
        return ()
    late = [entry for entry in stage.pool.qualifying.entrants if entry not in stage.row.entries]
    return explain_groups(stage.row.entries, record["groups"], late)


def reason_between(stage: StageState, sides: tuple[int, ...]) -> str:
    """Return why these two meet in this stage, or an empty text if they simply both advanced."""
    if stage.pool is not None:
        return _("Everybody in the group meets everybody.")
    pairs = (pair for drawn in drawn_of(stage) for pair in drawn.pairs)
    return next((why for pair, why in pairs if set(pair) == set(sides)), "")
