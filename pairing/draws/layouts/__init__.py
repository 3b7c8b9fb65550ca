"""Compute the positions of boxes and lines for brackets and groups. Web pages and PDFs use them for drawing."""
