"""Attack the site over real sockets, as anybody on the Wi-Fi can, and measure how long other users wait meanwhile.

    make attack                                              all attacks, against a site started for them
    python -m tests.devtools.attacks 127.0.0.1 8000          attacks that need no database rows, against your own site
    python -m tests.devtools.attacks 127.0.0.1 8000 forms_8  a single attack

A *flood* lasts eight seconds, comes from 127.0.0.2, and reconnects whenever it is disconnected. A *try* is made once
and returns what went wrong. Attack only servers of your own.
"""
