"""What two runs conclude differently."""
