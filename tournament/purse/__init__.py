"""Money: fees, the prize pool, prizes for each place, and payouts.

    fees ──account_from──► collected ──make_prize_pool──► pool ──divide_places──► places ──pay_out──► awards

All amounts are whole cents, and every sum is exact.
"""
