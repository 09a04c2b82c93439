"""Bar charts as SVG: a bar per server, with a line from its least to its most."""

from xml.sax.saxutils import escape

WIDTH = 720
LEFT = 130  # where bars begin
RIGHT = 90  # for the number behind the longest
ROW = 26
BAR = 16
TOP = 40
OWN, BOUND, PEER = "#2f6fb5", "#9aa5b1", "#c98b3c"


def colour(name):
    if name.startswith("hoop"):
        return OWN
    return BOUND if name.startswith(("floor_", "libuv_")) else PEER


def text(x, y, content, anchor="start", weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(content)}</text>"
    )


def line(x1, y1, x2, y2):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#333" stroke-width="1"/>'


def bars(title, values):
    """A chart of {name: (value, least, most)}, in that order."""
    longest = max(most for _, _, most in values.values()) or 1
    scale = (WIDTH - LEFT - RIGHT) / longest
    height = TOP + ROW * len(values) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        text(10, 24, title, weight="bold"),
    ]
    for number, (name, (value, least, most)) in enumerate(values.items()):
        top = TOP + ROW * number
        middle = top + BAR / 2
        parts += [
            text(LEFT - 8, middle + 4.5, name, anchor="end"),
            f'<rect x="{LEFT}" y="{top}" width="{value * scale:.1f}" height="{BAR}"'
            f' fill="{colour(name)}"/>',
            line(LEFT + least * scale, middle, LEFT + most * scale, middle),
            text(LEFT + most * scale + 8, middle + 4.5, f"{value:.2f}"),
        ]
    return "\n".join([*parts, "</svg>", ""])
