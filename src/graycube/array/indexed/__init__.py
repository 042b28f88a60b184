"""Elements by their index in the whole array: found, chosen, taken, written, and rearranged."""
