"""Colours that colour-blind people can tell apart, and that keep apart in grey."""

from __future__ import annotations

import colorsys

__all__ = ["ACCENT", "GREY", "cluster_colours", "mixed"]

# Okabe and Ito's, without black and with the pale yellow last: it is faint on white paper.
OKABE_ITO = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"]
ACCENT = "#D55E00"
GREY = "#6E6E6E"
GOLDEN = 0.618033988749895  # turns of the hue: neighbours in the list are far apart
LIGHTNESS = (0.36, 0.58, 0.75)


def cluster_colours(n: int) -> list[str]:
    """One colour a cluster, "#rrggbb"; the first seven are safe for the colour-blind.

    Beyond seven no palette is: hues then run round the circle in golden steps and in three
    lightnesses, so that neighbours in the list differ in both.

    Parameters
    ----------
    n : int

    Returns
    -------
    list of str
    """
    colours = OKABE_ITO[:n]
    for i in range(n - len(colours)):
        hue, lightness = (0.1 + i * GOLDEN) % 1.0, LIGHTNESS[i % len(LIGHTNESS)]
        rgb = colorsys.hls_to_rgb(hue, lightness, 0.62)
        colours.append("#" + "".join(f"{round(255 * part):02x}" for part in rgb))
    return colours


def mixed(colours: list[str], shares: list[float]) -> str:
    """The mean of colours with these shares, which sum to 1."""
    parts = [[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in colours]
    mean = [sum(s * p[i] for s, p in zip(shares, parts, strict=True)) for i in range(3)]
    return "#" + "".join(f"{round(one):02x}" for one in mean)
