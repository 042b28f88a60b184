"""Arrays with halos: the ``window``, by messages (``neighbours``) or memory (``borders``)."""
