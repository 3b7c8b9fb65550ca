"""The evidence of a signed score card: its content and digest, seals, versions, and files that prove themselves."""
