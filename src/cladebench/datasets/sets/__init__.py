"""One file a family of data sets: a module here that defines DATASETS is found by itself."""
