"""Words and descriptors of images, computed from pixels."""
