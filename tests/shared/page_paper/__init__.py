"""A paper of the tests: small, unlike any real one, and with everything that the pages show."""
