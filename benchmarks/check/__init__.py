"""How often check raises an alarm over rows that did not change."""
