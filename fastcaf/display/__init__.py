"""What was found, in words, pictures and a page."""
