"""Fitted learners as files, without pickle: values, their types, and the archive around them."""
