"""Run the command `gin-rummy` from a checkout: `python -m laptop run`."""

from laptop.command import main

main()
