"""TR-764: S. L. Johnsson, C.-T. Ho, Boolean Cube Emulation of Butterfly Networks, 1990."""
