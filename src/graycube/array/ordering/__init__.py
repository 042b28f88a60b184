"""``sorting`` and ``quantiles``, by ``merging`` what each rank has ``in_order``."""
