"""Colours of a picture: as few as it takes, without saying how many.

Run it with ``python examples/image_colours.py [PICTURE]``.  Without a picture a sunset is
painted here; with one (PNG, or whatever matplotlib reads) that is used.  Every pixel is a row
of three numbers; clusters are colours, and each pixel gets the colour of its cluster.  The
result goes to ``few_colours.png`` in the current folder.
"""

import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np

from fastcaf import CAFHFCM, FastcafWarning

HEIGHT, WIDTH = 120, 200


def sunset() -> np.ndarray:
    """Sky, a sun, two ridges and a lake, each with the noise of a camera."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    picture = np.empty((HEIGHT, WIDTH, 3))
    picture[:] = (0.95, 0.60, 0.30)  # the sky
    picture[(x - 130) ** 2 + (y - 30) ** 2 < 24**2] = (1.0, 0.92, 0.55)  # the sun
    picture[y > 62 + 10 * np.sin(x / 25)] = (0.55, 0.25, 0.40)  # far hills
    picture[y > 80 + 7 * np.sin(x / 14 + 2)] = (0.12, 0.18, 0.15)  # near hills
    picture[y > 98] = (0.25, 0.40, 0.60)  # the lake
    noise = np.random.default_rng(0).normal(0.0, 0.025, picture.shape)
    return np.clip(picture + noise, 0.0, 1.0)


picture = plt.imread(sys.argv[1])[..., :3] if len(sys.argv) > 1 else sunset()
if picture.dtype == np.uint8:
    picture = picture / 255.0
pixels = picture.reshape(-1, 3)

# Above 2,000 rows the fit works on representatives by itself: 24,000 pixels are such a case.
warnings.simplefilter("ignore", FastcafWarning)  # the verdict is printed
model = CAFHFCM(random_state=0).fit(pixels)
print(f"{len(pixels):,} pixels, {model.n_clusters_} colours. {model.verdict_}")
for colour, share in zip(model.cluster_means_, np.bincount(model.labels_), strict=True):
    red, green, blue = np.clip(255 * colour, 0, 255).round().astype(int)
    print(f"  #{red:02x}{green:02x}{blue:02x}  {share / len(pixels):6.1%} of the picture")

few = np.clip(model.cluster_means_[model.labels_].reshape(picture.shape), 0.0, 1.0)
error = np.sqrt(np.mean((few - picture) ** 2))
print(f"mean error of a channel: {error:.3f} of 1")
plt.imsave("few_colours.png", np.concatenate([picture, few], axis=1).astype(np.float64))
print("written: few_colours.png (before, after)")
