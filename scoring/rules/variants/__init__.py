"""The list of variants: one line here registers a file of this folder, and form, sheet, paper and API have it."""

from collections.abc import Mapping
from typing import Any, Final

from scoring.rules.variant import Variant
from scoring.rules.variants.captain import Captain
from scoring.rules.variants.court_whist import CourtWhist
from scoring.rules.variants.fort_worth import FortWorth
from scoring.rules.variants.gra_partnership import GraPartnership
from scoring.rules.variants.gra_singles import GraSingles
from scoring.rules.variants.hollywood import Hollywood
from scoring.rules.variants.metzker import Metzker
from scoring.rules.variants.oklahoma import Oklahoma
from scoring.rules.variants.score_pad import ScorePad
from scoring.rules.variants.standard import Standard
from scoring.rules.variants.word_gin import WordGin

VARIANTS: Final[Mapping[str, type[Variant[Any, Any]]]] = {
    variant.name: variant
    for variant in (
        GraSingles,
        GraPartnership,
        Standard,
        Oklahoma,
        Hollywood,
        WordGin,
        Metzker,
        Captain,
        FortWorth,
        CourtWhist,
        ScorePad,
    )
}
