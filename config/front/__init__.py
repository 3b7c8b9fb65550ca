"""The front process that all phones speak to, which receives requests, answers from memory, and passes them on."""
