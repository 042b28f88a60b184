"""TR-20-92: C.-T. Ho et al., An Efficient Algorithm for Gray-to-Binary Permutation, 1992."""
