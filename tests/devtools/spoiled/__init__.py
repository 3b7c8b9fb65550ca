"""Requests that no browser sends, by seeded chance, to every address: none is answered 500, 502 or 504.

    python -m tests.devtools.spoiled --requests 100000 --seed 1           in one process, by Django's own test client
    python -m tests.devtools.spoiled --requests 5000 --seed 1 --site      to a site that is started for it, over sockets
    python -m tests.devtools.spoiled --seed 1 --only 4711                 one of them again, shown whole

What is there to be spoiled: the hall of `tests/config/hall.py`, with cards, disputes and files. Good requests are made
of the forms on its pages, of bodies as the documents name them, and of files as the site makes them; then one to three
things about each are spoiled. A 503 is right where it says in a sentence what to do, and when to try again.
"""
