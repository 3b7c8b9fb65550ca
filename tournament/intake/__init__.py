"""Files that somebody sends: bounded before they are received, and read apart from the web process.

    @takes_files(LISTS) on the page        what is larger is refused before it was received
    read_apart(LISTS, read_list, content)  another process reads it, with little time and memory

No matter what is in a file, the answer is what it says or a `DomainError`: never a page that hangs, never a 500.
"""
