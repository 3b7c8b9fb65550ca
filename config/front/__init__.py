"""What the process that phones speak to does on its event loop, before Django: receive, tell from memory, pass on."""
