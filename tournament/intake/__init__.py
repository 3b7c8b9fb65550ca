"""Limit uploaded files before they are received, and read them outside the web process.

    @takes_files(LISTS) on the page        refuses a larger request before it is received
    read_apart(LISTS, read_list, content)  reads it in another process with little time and memory

For any file, the caller gets its content or a `DomainError`. A page never hangs and never answers 500.
"""
