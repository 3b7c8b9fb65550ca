"""Send requests that no browser would send, to every URL of the site. No response may have status 500, 502, or 504.

    python -m tests.devtools.spoiled --requests 100000 --seed 1           in one process, with Django's test client
    python -m tests.devtools.spoiled --requests 5000 --seed 1 --site      over sockets, to a site started for it
    python -m tests.devtools.spoiled --seed 1 --only 4711                 repeat one request and show it
    python -m tests.devtools.spoiled --files 10000 --seed 1               spoil files of tournaments (`archives`)

The site in `tests/config/hall.py` has data for every URL. Valid requests are made from the forms on its pages,
documented request bodies, and its files. They are then spoiled in one to three ways. A 503 response has to tell the
user what to do and when to retry.
"""
