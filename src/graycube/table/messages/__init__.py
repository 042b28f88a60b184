"""Any layout to any other, where what a node sends to another is a message.

Messages go straight (``direct``, ``all_to_all``, ``pairs``), within subcubes first (``groups``,
``hierarchical``), or each by a way of its own (``by_message``, ``by_part``): ``manners``.
"""
