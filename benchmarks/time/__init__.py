"""Series, panels and rows that are not independent: accuracy, warnings, other programs beside."""
