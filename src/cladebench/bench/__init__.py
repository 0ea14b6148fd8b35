"""Plans, cells, records, limits, provenance and seeds; knows no method."""
