"""From a value, an order or a ratio to a verdict."""
