"""What is where in some JSON."""


def places_in(tree, path=(), longest=None):
    """The path of every value, of inner ones too; of lists up to so many entries each."""
    yield path
    entries = tree.items() if isinstance(tree, dict) else ()
    entries = enumerate(tree[:longest]) if isinstance(tree, list) else entries
    for key, inner in entries:
        yield from places_in(inner, (*path, key), longest)


def parent(tree, path):
    """The object or list that has the value at a path."""
    for key in path[:-1]:
        tree = tree[key]
    return tree
