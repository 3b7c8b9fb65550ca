"""Whether a record has a game to come, as the qualifying itself says it."""

from hypothesis import given
from hypothesis import strategies as st

from pairing.draws.results import Meeting
from pairing.draws.stages.qualifier import QualifierTerms, make_qualifying


@given(
    st.integers(1, 6),
    st.none() | st.integers(1, 6),
    st.none() | st.integers(1, 6),
    st.booleans(),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_plays_on_as_the_qualifying_says(
    games: int, losses: int | None, wins: int | None, unbeaten: bool, won: int, lost: int
) -> None:
    losses, wins = (min(limit, games) if limit else None for limit in (losses, wins))
    terms = QualifierTerms(games=games, losses=losses, wins=wins, unbeaten_play_on=unbeaten, byes_to=())
    byes = [Meeting.bye(f"W{turn}", 1) for turn in range(won)]
    lost_games = [Meeting.penalty(f"L{turn}", 1) for turn in range(lost)]
    found = make_qualifying(terms, [1], [*byes, *lost_games])[1]
    assert terms.plays_on(won, lost) is found.is_ready
