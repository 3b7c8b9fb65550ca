"""Storage backends: prints, photos and certificates in the database or in S3, and static files."""
