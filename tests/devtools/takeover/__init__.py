"""Break the first of two real laptops again and again, and let the second one take over (`make takeover`).

    .venv/bin/python -m tests.devtools.takeover --runs 20 --seed 1

`laptops` starts the program in two folders, and `pairing` has the few calls that pair them and take over. `starting`
starts its processes, most of them as forks of the `zygote`. `wire` is the network between the two, which can be cut.
`crew` has the writers and phones of `tests.devtools.hall`, which change to the second laptop as people do. `run` plays
one run. `facts` reads both databases, and `judge` compares them with what the writers were told.
"""
