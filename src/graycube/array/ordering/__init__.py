"""``sorting``, ``quantiles``, what is ``different``: by ``merging`` or ``splits``, and ``in_order``."""
