"""Money: fees, the prize pool, prizes for each place, and payouts.

    fees ──make_entry_account──► collected ──make_prize_pool──► pool ──divide_places──► places ──compute_payout──►
    awards

All amounts are whole cents, and every sum is exact.
"""
