"""Read how an event is played from the director's options: each stage by the terms of its kind."""
