"""Colours of clusters that colour-blind people can tell apart too.

The first eight are a search for the largest of the smallest distances (OKLab, 100 from black to
white) under deuteranopia, protanopia and tritanopia as Machado and others simulate them: 12.7,
where Okabe and Ito's seven have 7.6.  The other sixteen are added one by one, each as far from
those before as it can be: 7.6 among twelve, 5.6 among all 24.  None is paler on white than 1.75
to 1.  No such list differs in grey alone: plots number their clusters.
"""

from __future__ import annotations

import colorsys

__all__ = ["ACCENT", "GREY", "cluster_colours"]

# fmt: off
PALETTE = [
    "#0072B2", "#E69F00", "#780F4B", "#1ED2D2", "#695A00", "#9687FF", "#2D2D96", "#B47878",
    "#788700", "#00A5B4", "#A5C387", "#B43C4B", "#963C87", "#4B3C00", "#3C4BC3", "#F069B4",
    "#D296FF", "#B4965A", "#4B78F0", "#783C3C", "#C34B87", "#690F78", "#FFA5F0", "#A55AD2",
]
# fmt: on
ACCENT = "#D55E00"
GREY = "#6E6E6E"
GOLDEN = 0.618033988749895  # turns of the hue: neighbours in the list are far apart
LIGHTNESS = (0.36, 0.58, 0.75)


def cluster_colours(n: int) -> list[str]:
    """One colour a cluster, "#rrggbb"; the first eight are safe for the colour-blind.

    The first 24 are all different to them, if barely.  Beyond, hues run round the circle in
    golden steps and in three lightnesses, so that neighbours in the list differ in both.

    Parameters
    ----------
    n : int

    Returns
    -------
    list of str
    """
    colours = PALETTE[:n]
    for i in range(n - len(colours)):
        hue, lightness = (0.1 + i * GOLDEN) % 1.0, LIGHTNESS[i % len(LIGHTNESS)]
        rgb = colorsys.hls_to_rgb(hue, lightness, 0.62)
        colours.append("#" + "".join(f"{round(255 * part):02x}" for part in rgb))
    return colours
