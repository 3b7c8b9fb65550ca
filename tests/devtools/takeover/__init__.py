"""Repeatedly break the first of two paired laptops, and let the second one take over (`make takeover`).

    .venv/bin/python -m tests.devtools.takeover --runs 20 --seed 1

`laptops` starts the program in two folders. `pairing` calls the commands that pair the laptops and let the second one
take over. `starting` starts the processes, most of them as forks of the `zygote`. `wire` simulates the network between
the two laptops, which can be cut. `crew` simulates the users: it extends the writers and phones of
`tests.devtools.hall`, so that they switch to the second laptop. `run` plays one run. `facts` reads both databases, and
`judge` compares them with the writes that the laptops acknowledged.
"""
