"""Reductions ``over`` axes, and what is made of them: ``statistics``, ``norms``, ``sums``."""
