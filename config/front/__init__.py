"""The front process that all phones connect to. It receives requests, serves cached pages, and forwards the rest."""
