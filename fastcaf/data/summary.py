"""How paths see many rows: how few representatives, and of which kind.

Cells of near rows keep every corner of the data, and with them small clusters far away.  But in
many features a cell is as wide as a cluster, and all that is known of its inside is how wide:
clusters lose their shape.  Rows drawn at random keep it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Summary"]

# A path of fcm or entropy memberships, whose plateaus are compared.
MANY_ROWS, CELLS = 20_000, 4_000
# Where partitions are judged by their likelihood, so many representatives; one more for every
# so many rows; and up to so many.
FEWEST, ROWS_A_REPRESENTATIVE, MOST = 2_000, 50, 4_000
MOST_FEATURES_OF_CELLS = 10


@dataclass(frozen=True)
class Summary:
    """What to do with many rows.

    Parameters
    ----------
    asked : int or None
        Number of representatives; None: what suits.
    by_likelihood : bool
        Whether partitions are to be judged by their likelihood, and not plateaus compared.
    """

    asked: int | None
    by_likelihood: bool = False

    @classmethod
    def of(cls, representatives: int | str | None, by_likelihood: bool) -> Summary | None:
        """From the checked parameter of ``CAFHFCM``; None: paths see all rows."""
        if representatives is None:
            return None
        return cls(representatives if isinstance(representatives, int) else None, by_likelihood)

    @property
    def most_rows(self) -> int:
        """Up to so many rows, paths see all of them."""
        return self.asked or (FEWEST if self.by_likelihood else MANY_ROWS)

    def number_for(self, n_rows: int) -> int:
        """Representatives for so many rows."""
        if self.asked is not None:
            return self.asked
        if not self.by_likelihood:
            return CELLS
        return min(FEWEST + (n_rows - FEWEST) // ROWS_A_REPRESENTATIVE, MOST)

    @property
    def most(self) -> int:
        """Representatives for any number of rows, at the most."""
        return self.asked or (MOST if self.by_likelihood else CELLS)

    def draws_rows(self, n_features: int) -> bool:
        """Whether representatives are rows drawn at random; else they are cells."""
        return self.by_likelihood and n_features > MOST_FEATURES_OF_CELLS
