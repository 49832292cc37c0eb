"""Matplotlib, made ready to draw without a screen."""


def require_matplotlib() -> None:
    """Choose the backend that needs no screen; say what to install if there is none."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install --group studies") from error
    mpl.use("Agg")
