"""What anybody on the Wi-Fi can try, with real sockets, and how long a page takes for others while it goes on.

    make attack                                     all of it, at a site that is started for it
    python -m tests.devtools.attacks 127.0.0.1 8000          all that needs no rows, at a site of one's own
    python -m tests.devtools.attacks 127.0.0.1 8000 forms_8  one

*Floods* go on for eight seconds each, from 127.0.0.2, and begin again whenever they are thrown out; the others come
from 127.0.0.1. *Tries* are made once each and say whether the site held. Only against a server of one's own.
"""
