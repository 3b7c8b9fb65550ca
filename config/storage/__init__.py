"""Storage backends for static files, and for PDFs, photos and certificates in the database or S3."""
