"""The page *This computer*, from which an administrator runs the program without a terminal.

It shows whether phones, backups, the disk, and the clock are all right. From it, an administrator stops or restarts the
program, and downloads the file *Logs to send*. Another page is *Welcome*, for the first start of an installed program.

Public: selectors, services.
"""
