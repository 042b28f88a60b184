"""``sorting`` and ``quantiles``, by ``merging`` or ``splits`` of what each has ``in_order``."""
