"""What a page process adds to Django, wherever its requests come from."""
