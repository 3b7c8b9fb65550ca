"""Evidence about signed score cards: their content and digests, seals, versions, and verifiable files."""
