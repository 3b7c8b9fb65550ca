"""Set up one laptop in a hall, and run the web server, worker and broker on it with one command."""
