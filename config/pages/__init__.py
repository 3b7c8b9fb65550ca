"""Django middleware and error pages for a page process, independent of the front process."""
