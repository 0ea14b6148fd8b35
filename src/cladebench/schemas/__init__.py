"""JSON schemas of the files that users write and of the records that cells leave."""
