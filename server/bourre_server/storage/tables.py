"""The tables of a result file."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
)

SCHEMA_VERSION = 1
"""Kept in the file as `PRAGMA user_version`."""

APPLICATION_ID = 0x426F7572
"""Tells a result file from other SQLite files, as `PRAGMA application_id`: "Bour"."""

metadata = MetaData()

run = Table(
    "run",
    metadata,
    Column("name", String, nullable=False),
    Column("config", JSON, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("seeded", Boolean, nullable=False),
    Column("listen", String),
    Column("finished", Boolean, nullable=False, default=False),
)

entrants = Table(
    "entrants",
    metadata,
    Column("entrant", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("program_hash", String, nullable=False),
    Column("version", String, nullable=False),
    Column("external", Boolean, nullable=False),
    Column("withdrawn", String),
)

tokens = Table(
    "tokens",
    metadata,
    Column("instance", String, primary_key=True),
    Column("sha256", String, nullable=False),
)

# The record comes last, so that SQLite need not read it to get at the other columns.
matches = Table(
    "matches",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("block", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("hands", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
)

seats = Table(
    "seats",
    metadata,
    Column("match", ForeignKey("matches.number"), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("entrant", ForeignKey("entrants.entrant"), nullable=False),
    Column("chips", Integer, nullable=False),
    Column("played", Integer, nullable=False),
    Column("bourres", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    PrimaryKeyConstraint("match", "seat"),
)

faults = Table(
    "faults",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match", ForeignKey("matches.number"), nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    Column("decision_id", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("action", String, nullable=False),
    Column("evidence", JSON, nullable=False),
)
