"""Half-played events of earlier versions, which are kept as database dumps and continued with today's code.

    make:  random events ──half_way──► a database ──files──► tests/devtools/kept/<day>-<commit>.sql.gz
    test:  the dump ──files──► a scratch database ──migrate, check──► verified, its pages open, played to its end

README.md explains when to make another dump. `stands` lists the states that a dump has to contain.
"""
