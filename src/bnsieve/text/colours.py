"""The colours of pictures and tables, on light pages."""

PAPER, INK = "#fdfdfc", "#1f2933"
ARROW, LINE = "#3e4c59", "#c05621"
BOX, BORDER = "#eef2f6", "#9aa5b1"
CHOSEN, CHOSEN_BORDER = "#ffe8a3", "#b7791f"
MISSING, EXTRA, TURNED = "#c53030", "#2b6cb0", "#8a6d00"
