"""JSON schemas of files that users write and cells leave."""
