"""CAM 87-02: T. F. Chan, On Gray Code Mappings for Mesh-FFTs on Binary N-Cubes, 1987."""
