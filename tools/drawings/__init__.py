"""The drawings of the documentation: ``python -m tools.drawings`` writes them to ``docs/images``.

Every figure in them is computed: a drawing shows what bnsieve does, not what it might do.
"""
