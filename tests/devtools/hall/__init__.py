"""Load-test the real site with simulated users, and measure from outside (`make hall`).

    .venv/bin/python -m tests.devtools.hall --phones 500 --writers 40 --minutes 10

`event` creates the event in a separate process. `site` starts the program as `make run` does, in its own folder.
`browser` sends requests as a browser does, and `live` follows an event as static/js/live.js does. `phones` simulates
people who read pages, and `writers` people who enter hands, results, and payments. `servers` starts the services that
several servers share, and `faults` breaks parts of the site. `book` records the measurements and the acknowledged
writes, and `count` compares those writes with the database and `verify_event`.
"""
