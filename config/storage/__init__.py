"""Storage backends for static files, and for stored files (prints, photos and certificates) in the database or S3."""
