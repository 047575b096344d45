"""From what a page knows to one HTML file that needs nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import re
from base64 import b64encode
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastcaf.display.explorer.content import page_content
from fastcaf.storage.writing import destination, replacing

__all__ = ["write_page"]

SCRIPTS = ["data.js", "scatter.js", "gamma.js", "tree.js", "page.js"]


def write_page(model: Any, path: str | os.PathLike[str], X: Any = None) -> Path:
    """Write the page of a fitted model.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    path : str or path-like
        An existing file is replaced, once the page is complete.
    X : array-like of shape (n, d), data frame, RowBlocks or None
        Rows to show; None: those of the fit.

    Returns
    -------
    Path
    """
    destination(path)  # what cannot be written is refused before the work
    page = assembled(page_content(model, X))
    with replacing(path) as stream:
        stream.write(page.encode())
    return Path(path)


def assembled(content: dict[str, Any]) -> str:
    """The page: template, style, scripts and data in one text.

    Its policy allows no connection, and no script or style but these.
    """
    style = _resource("page.css")
    script = '"use strict";\n' + "\n".join(map(_resource, SCRIPTS))
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {"policy": policy, "style": style, "script": script, "data": embedded(content)}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found.group(1)], _resource("page.html"))


def embedded(content: dict[str, Any]) -> str:
    """JSON that cannot end the element it is in, whatever names the data have."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _resource(name: str) -> str:
    return files("fastcaf.display.explorer").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """How a policy names the one script or style that it allows."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
