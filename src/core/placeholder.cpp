namespace cladebench {}
