"""The program as an installed package. In the wheel, this file is `gin_rummy_tournaments/__init__.py`.

All other folders, such as `tournament` and `templates`, lie beside it, in the same order as in the repository.
"""

import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from laptop.command import main as run_command

    run_command()
