"""Labels and scores that other people published, beside one's own."""
