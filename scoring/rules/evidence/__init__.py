"""Evidence for signed score cards: their content and digest, seals, versions, and files that anyone can verify."""
