"""TR-20-91: S. L. Johnsson, C.-T. Ho, On the Conversion between Binary and Gray Code, 1991."""
