"""Attack the site over real sockets, as anybody on the Wi-Fi can, and time the pages of others meanwhile.

    make attack                                     everything, against a site that is started for it
    python -m tests.devtools.attacks 127.0.0.1 8000          what needs no rows, against your own site
    python -m tests.devtools.attacks 127.0.0.1 8000 forms_8  one attack

A *flood* lasts eight seconds, comes from 127.0.0.2, and reconnects whenever it is thrown out. A *try* is made once and
returns what went wrong. Attack only servers of your own.
"""
