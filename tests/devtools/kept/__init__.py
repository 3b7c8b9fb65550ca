"""Events that were left half-played on an earlier day, kept as a dump, and played on by the code of today.

    make:  play_demo_event's own code ──half_way──► a database ──files──► tests/devtools/kept/<day>-<commit>.sql.gz
    test:  the dump ──files──► a scratch database ──migrate, check──► verified, its pages open, played to its end

README.md beside this says when to make another dump. `stands` has the words for what an event is left with.
"""
