"""Colours of clusters: told apart by everyone, as far as numbers can say."""

from itertools import pairwise

import numpy as np
import pytest

from fastcaf.display.colours import PALETTE, cluster_colours

# Severe colour blindness on linear RGB: Machado, Oliveira and Fernandes, 2009.
SIGHTS = {
    "normal": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]
OKABE_ITO = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"]


def linear(colours):
    rgb = np.array([[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in colours]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def nearest(colours, sight):
    """The smallest distance of two colours in OKLab, 100 from black to white."""
    seen = np.clip(linear(colours) @ np.transpose(SIGHTS[sight]), 0.0, 1.0)
    lab = 100 * np.cbrt(seen @ np.transpose(TO_CONES)) @ np.transpose(TO_OKLAB)
    distances = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    return distances[np.triu_indices(len(colours), 1)].min()


@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_keep_apart(sight):
    assert nearest(cluster_colours(8), sight) > 12.5
    assert nearest(cluster_colours(7), sight) > nearest(OKABE_ITO, sight)
    assert nearest(cluster_colours(12), sight) > 7.5
    assert nearest(cluster_colours(24), sight) > 5.5


def test_colours_stand_out_on_white():
    luminance = linear(PALETTE) @ [0.2126, 0.7152, 0.0722]
    assert (1.05 / (luminance + 0.05)).min() > 1.75


@pytest.mark.parametrize("n", [0, 1, 8, 24, 25, 100, 300])
def test_there_is_a_colour_for_every_cluster(n):
    colours = cluster_colours(n)
    assert len(colours) == n
    assert all(len(one) == 7 and int(one[1:], 16) >= 0 for one in colours)
    assert colours == cluster_colours(400)[:n]
    assert all(a != b for a, b in pairwise(colours))
