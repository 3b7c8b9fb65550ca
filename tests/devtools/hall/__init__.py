"""A full hall on one machine: N phones and M writers on the real site, counted from outside. `make hall`.

    .venv/bin/python -m tests.devtools.hall --phones 500 --writers 40 --minutes 10

`event` is run once in a process of its own and makes what is played; `site` starts the program as `make run` does, in a
folder of its own. `browser` asks as a browser asks, `live` follows an event as static/js/live.js does, `phones` look,
`writers` write. `servers` starts what several servers share, and `faults` breaks it. `book` keeps what was measured and
promised, `count` holds it against the rows and `verify_event`.
"""
