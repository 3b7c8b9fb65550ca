"""Load-test the real site with phones and writers, and count from outside (`make hall`).

    .venv/bin/python -m tests.devtools.hall --phones 500 --writers 40 --minutes 10

`event` makes the event, once, in a process of its own. `site` starts the program as `make run` does, in a folder of its
own. `browser` sends requests as a browser does, and `live` follows an event as static/js/live.js does. `phones` read,
`writers` write. `servers` starts the services that several servers share, and `faults` breaks things. `book` has the
measurements and the promised writes, and `count` compares the writes with the rows and `verify_event`.
"""
