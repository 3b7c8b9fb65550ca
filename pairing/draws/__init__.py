"""The logic that decides who plays whom: the blind draw, brackets and their progress, and final places.

Nothing in this package uses a database, a clock, or a source of randomness.

    numbers ──compute_draw_order──► order ──draw_partners──► pairs of entries without a partner
    numbers ──compute_draw_order──► order ──place_drawn_order──► places ──make_bracket──► bracket
    places ──make_double_elimination_bracket──► both brackets of a double elimination, final and reset
    bracket + facts ──make_bracket_progress──► progress ──make_placings──► placings, for the payouts

    entries, meetings ──make_pool──► pool ──find_advancing_entries, make_play_off──► the entries of the final
    entries ──pair_by_record──► pairs ──explain_pairing──► reasons

Formats without a bracket need one function each: `pair_by_record`, `schedule_round_robin`, `make_rotation_round`,
`seat_entries_at_tables` and `move_whist_winners` (Court Whist).
"""
