"""What goes along an axis from node to node: ``scans``, and ``tridiagonal`` equations."""
