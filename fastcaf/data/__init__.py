"""From the user's rows to sums over them."""
