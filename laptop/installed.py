"""The program as an installed package. In the wheel, this file is `gin_rummy_tournaments/__init__.py`.

The program's other files and folders, such as `manage.py` and `tournament`, are beside this file.
"""

import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from laptop.command import main as run_command

    run_command()
