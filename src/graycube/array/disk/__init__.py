"""Arrays on disk: one ``.npy`` file, a Zarr archive, and checkpoints of several arrays."""
