"""Mutation testing: insert small faults in the code, and check whether its tests notice them.

`make mutants FOLDER=money` runs it for one folder in `[tool.mutants]` in pyproject.toml. Without FOLDER, it runs for
all of them. docs/mutants.md has the results.
"""
