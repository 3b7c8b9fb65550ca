"""The registration of the ladder as a kind of stage."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from pairing.draws.ladder import challenge_waves, suggest_challenges
from pairing.ladder.pdf import print_ladder
from pairing.ladder.selectors import ladder_of, load_ladder_stage, show_ladder
from pairing.ladder.words import PLANNED
from pairing.stage_kinds.selectors.kind_rooms import KindRoom, OwnColumn, Paper, StagePart

LADDER: Final = KindRoom(
    load=load_ladder_stage,
    planned=PLANNED,
    suggest=suggest_challenges,
    waves=challenge_waves,
    part=StagePart("pairing/ladder/stage.html", show_ladder),
    column=OwnColumn(_("Longest run"), lambda pool, entry: ladder_of(pool).runs[entry]),
    papers={"ladder": Paper(gettext_noop("Ladder"), print_ladder)},
)
