"""Half-played events of earlier versions, kept as dumps and continued by today's code.

    make:  random events ──half_way──► a database ──files──► tests/devtools/kept/<day>-<commit>.sql.gz
    test:  the dump ──files──► a scratch database ──migrate, check──► verified, its pages open, played to its end

README.md says when to make another dump. `stands` names what a dump has to contain.
"""
