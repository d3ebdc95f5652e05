"""What a database offers for searching texts: configurations of languages, and similar words by pg_trgm."""

from collections.abc import Mapping
from dataclasses import dataclass

from libs.pg.pool import Statements
from libs.pg.sql import Sql, sql

CONFIGURATIONS: Mapping[str, str] = {
    **{"ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish"},
    **{"fi": "finnish", "fr": "french", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "it": "italian"},
    **{"ne": "nepali", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian"},
    **{"sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish"},
}
"""PostgreSQL's text search configurations by the code of their language."""
SIMPLE = "pg_catalog.simple"
"""The configuration that knows no language: whole words only."""

_FACTS = """
SELECT (SELECT format('%I.%I', nspname, cfgname) FROM pg_ts_config c JOIN pg_namespace n ON n.oid = cfgnamespace
        WHERE c.oid = current_setting('default_text_search_config')::regconfig) AS configuration,
    ARRAY(SELECT cfgname::text FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace) AS known,
    (SELECT nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace
     WHERE extname = 'pg_trgm' AND has_schema_privilege(n.oid, 'USAGE')) AS trigrams
"""


@dataclass(frozen=True, slots=True)
class TextSearch:
    """The language of texts, and where pg_trgm is."""

    configuration: str = SIMPLE
    """The database's `default_text_search_config`: for columns whose name does not end in a language."""
    known: frozenset[str] = frozenset()
    """Names of the configurations in pg_catalog."""
    trigrams: str | None = None
    """The schema of pg_trgm; None without this extension."""

    def configuration_of(self, name: str) -> str:
        """Return the configuration for a column: `title_es` is Spanish."""
        found = CONFIGURATIONS.get(name.rpartition("_")[2].lower()) if "_" in name else None
        return f"pg_catalog.{found}" if found in self.known else self.configuration


def configuration_sql(configuration: str) -> Sql:
    """Return a configuration as a constant: a bind would be looked up for each row. The name is from the catalogue."""
    quoted = configuration.replace("'", "''")
    return Sql((f"'{quoted}'::regconfig",))


async def text_search(database: Statements) -> TextSearch:
    """Return what this database offers. Raises Unavailable."""
    facts = (await database.fetch(sql(_FACTS)))[0]
    return TextSearch(facts["configuration"] or SIMPLE, frozenset(facts["known"]), facts["trigrams"])
