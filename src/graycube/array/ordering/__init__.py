"""``sorting``, ``quantiles``, what is ``different``; by ``merging`` or ``splits``."""
