"""How an event is played, read from what the director wrote: every stage by the terms of its kind."""
