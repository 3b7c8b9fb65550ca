"""Mutation testing: plant small faults in the code that counts, and see whether its tests notice them.

`make mutants FOLDER=money` runs it for a folder of `[tool.mutants]` in pyproject.toml, or for all without FOLDER.
docs/mutants.md has the results.
"""
