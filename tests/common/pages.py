"""HTML read back: its tables and its text."""

from html.parser import HTMLParser

EMPTY = {"br", "hr", "img", "meta"}


class Page(HTMLParser):
    """The tables and texts of some HTML, whose tags must be balanced."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tables, self.tags, self.text = [], [], set(), ""
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), attrs
        self.tags.add(tag)
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data


def page(thing):
    return Page(thing._repr_html_())
