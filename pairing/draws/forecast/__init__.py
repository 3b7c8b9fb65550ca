"""When a stage will be over, and how sure that is, from the games that were played so far today."""
