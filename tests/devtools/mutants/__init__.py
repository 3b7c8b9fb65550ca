"""Mutation testing: small faults are planted in the code that counts, and the tests that belong to it have to notice.

`make mutants FOLDER=money` runs it for one folder of `[tool.mutants]` in pyproject.toml, without FOLDER for all.
What it found is in docs/mutants.md.
"""
