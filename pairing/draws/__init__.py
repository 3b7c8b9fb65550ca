"""Who meets whom: the blind draw, the bracket, its progress and its places. No database, clock or chance.

    numbers ──draw_order──► order ──draw_partners──► pairs of those who asked for a partner
    numbers ──draw_order──► order ──place_order──► places ──make_bracket──► bracket
    places ──make_double_bracket──► both brackets of a double elimination, final and reset
    bracket + facts ──make_progress──► progress ──make_placings──► placings, for the purse

    entries, meetings ──make_qualifying──► qualifying ──rank, draw_line, make_play_off──► who is in the final
    entries ──pair_by_record──► pairs ──explain_pairing──► why

Formats without a bracket are one step each: `pair_by_record`, `round_robin`, `rotation`, `seat` (tables) and
`move_winners` (Court Whist).

Each room below says in its first lines what it is for; a room stands only on those under it (pyproject.toml).
"""
