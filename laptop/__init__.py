"""One laptop in a hall: preparing it, and running web server, worker and broker in one go."""
