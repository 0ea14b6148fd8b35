"""What every paper shares: protocol, tables, figures, choices and findings."""
