"""How a value, an order or a ratio becomes a verdict."""
