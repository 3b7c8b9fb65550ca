"""The page *This computer*, from which an administrator runs the program without a terminal.

It shows whether everything works: phones, backups, disk, and clock. It can stop and restart the program, and it makes
the file *Logs to send*. Its other page is the first start of an installed program.

Public: selectors, services.
"""
