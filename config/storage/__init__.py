"""Where files lie: prints, photos and certificates in the database or in an S3 store, and the static files."""
