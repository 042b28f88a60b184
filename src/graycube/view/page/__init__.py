"""A plan as a page: one file that opens in any browser, without a network.

:func:`page` is its text and :func:`save_page` writes it. What can be seen: the cube with the
elements on their way, what every node holds, the loads of the links over time, and the prices.
"""

from graycube.view.page.document import MAX_DIMS, page, require_page_name, save_page

__all__ = ["MAX_DIMS", "page", "require_page_name", "save_page"]
