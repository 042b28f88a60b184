"""Conversions between binary and Gray code: the schedules of the papers, and better ones.

``routes`` lays out pipelines of units; ``class_routes`` are alike on all nodes of a subcube; in
``phases`` several fields take turns; ``tables`` holds what a search found.
"""
