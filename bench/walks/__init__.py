"""What analysts and those who look back ask, of shapes that stay the same while the mail around them grows."""
