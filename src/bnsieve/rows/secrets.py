"""Addresses that may hold a password: refused, and never repeated.

In: the text that a user passes as a path, or a query. Out: nothing, or an error that names only the
kind of address.
"""

import re

_ADDRESS = re.compile(r"(?:jdbc:)?([A-Za-z][\w+.-]+):/{1,2}")
_WITH_USER = re.compile(r"[A-Za-z][\w+.-]+:/{1,2}[^\s/]*:.*@")
_SECRET = re.compile(r"\b(?:password|passwd|pwd|secret|token|access_?key)\s*[=:]", re.IGNORECASE)
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_DATABASES = re.compile(
    r"^(?:jdbc:|postgres|mysql|mariadb|mssql|sqlserver|oracle|snowflake|redshift|bigquery|trino|"
    r"presto|clickhouse|databricks|duckdb|sqlite|mongodb|odbc|adbc|spark|flightsql|grpc)",
    re.IGNORECASE,
)


def refuse_address(text: str) -> None:
    """Refuse the address of a database, and any with a password, without repeating it.

    Raises
    ------
    ValueError
    """
    scheme = _ADDRESS.match(text)
    if not _may_hold_password(text):
        return
    kind = f"an address that begins with {scheme[1]}:" if scheme else "a text with a password"
    raise ValueError(
        f"{kind} is not a file path, and bnsieve accepts no address with a password: connect in "
        "Python and pass the cursor, relation or frame to fit"
    )


def refuse_addresses_in(query: str) -> None:
    """Refuse a query in which a quoted text is such an address, without repeating it.

    Raises
    ------
    ValueError
    """
    if any(map(_may_hold_password, _QUOTED.findall(query))):
        raise ValueError(
            "the query holds an address that may have a password, and bnsieve accepts no address "
            "with a password: attach the other database in Python and query its tables"
        )


def _may_hold_password(text: str) -> bool:
    is_database = _ADDRESS.match(text) and _DATABASES.match(text)
    return bool(is_database or _WITH_USER.match(text) or _SECRET.search(text))
