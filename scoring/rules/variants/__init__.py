"""The games that can be scored. Each game declares only how it differs from the base class.

Every game is registered here.
"""

from collections.abc import Mapping
from typing import Any, Final

from scoring.rules.variants.captain import CaptainGin
from scoring.rules.variants.court_whist import CourtWhist
from scoring.rules.variants.fort_worth import FortWorthGin
from scoring.rules.variants.gin.gra import GraPartnership, GraSingles
from scoring.rules.variants.gin.hollywood import HollywoodGin
from scoring.rules.variants.gin.two_sided import OklahomaGin, StandardGin
from scoring.rules.variants.metzker.variant import MetzkerCouplesGin
from scoring.rules.variants.score_pad.variant import ScorePad
from scoring.rules.variants.variant import Variant
from scoring.rules.variants.word_gin import WordGin

VARIANTS: Final[Mapping[str, type[Variant[Any, Any]]]] = {
    variant.name: variant
    for variant in (
        GraSingles,
        GraPartnership,
        StandardGin,
        OklahomaGin,
        HollywoodGin,
        WordGin,
        MetzkerCouplesGin,
        CaptainGin,
        FortWorthGin,
        CourtWhist,
        ScorePad,
    )
}
