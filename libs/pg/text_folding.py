"""How a database folds texts, so that they are compared without regard to case (CASEI) or accents (ACCENTI).

Both are expressions over what PostgreSQL has by itself, whatever `lc_ctype` says: managed servers often have `C`, under
which `lower` knows ASCII alone. Which of them a database can do is tried out once, not at the first filter.
"""

import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, LiteralString, Self

import asyncpg

from libs.concurrency.background import periodic
from libs.ogc.errors import DomainError, Uncomputable
from libs.pg.errors import Unexpected
from libs.pg.pool import Statements
from libs.pg.sql import Sql, bind, ident, sql

_LOG = logging.getLogger("dams.folding")
AGAIN_SECONDS = 60.0
_SOON_SECONDS = 1.0

# Full case folding (Unicode, section 5.18) by way of upper case, which takes ligatures and ŉ apart and lets ς and σ
# meet. ı alone must not become i: a noncharacter stands for it meanwhile.
_BY_ICU: LiteralString = (
    "translate(replace(lower(upper(translate({text}, 'ı', U&'\\FDD0') COLLATE pg_catalog.\"und-x-icu\")),"
    " 'ß', 'ss'), U&'\\FDD0ς', 'ıσ') COLLATE \"default\""
)
_ASCII_CASE: LiteralString = 'lower({text} COLLATE "C") COLLATE "default"'
# A locale of the C library maps one character to one.
_BY_LOCALE: LiteralString = (
    "translate(replace(replace(replace(replace(replace(replace(replace("
    "lower(upper(translate({text}, 'ıİ', U&'\\FDD0\\FDD1') COLLATE {collation})),"
    " 'ß', 'ss'), 'ŉ', 'ʼn'), 'ﬀ', 'ff'), 'ﬁ', 'fi'), 'ﬂ', 'fl'), 'ﬃ', 'ffi'), U&'\\FDD1', U&'i\\0307'),"
    " U&'\\FDD0ς', 'ıσ') COLLATE \"default\""
)
# Marks of the blocks of combining diacritical marks go, also those of Cyrillic (й); letters with a stroke are no
# letters with a mark, but nobody who asks for Łódź by Lodz wants to know.
_BY_DECOMPOSITION: LiteralString = (
    "replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace("
    'normalize({text} COLLATE "C", NFD),'
    " '[\\u0300-\\u036f\\u0483-\\u0487\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]', '', 'g'), NFC),"
    " 'ØøÐðĐđĦħıŁłŊŋŦŧƀƗɨƵƶɃɄʉ', 'OoDdDdHhiLlNnTtbIiZzBUu'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'),"
    " 'ß', 'ss'), 'ẞ', 'SS'), 'Þ', 'TH'), 'þ', 'th') COLLATE \"default\""
)
_ASCII_ACCENTS: LiteralString = '{text} COLLATE "default"'


@dataclass(frozen=True, slots=True)
class Folding:
    """One way to fold a text, over `{text}`."""

    template: LiteralString
    names: tuple[tuple[str, Sql], ...] = ()
    """What else the template names."""
    plain: LiteralString | None = None
    """The same for a text of ASCII alone, where that is quicker."""

    def of(self, text: Sql, *, is_simple: bool) -> Sql:
        """The folded text; `is_simple` where it is as short as a column, and may be written several times."""
        folded = sql(self.template, text=text, **dict(self.names))
        if self.plain is None or not is_simple:
            return folded
        return sql(
            "(CASE WHEN octet_length({text}) = length({text}) THEN {plain} ELSE {folded} END)",
            text=text,
            plain=sql(self.plain, text=text),
            folded=folded,
        )


@dataclass(frozen=True, slots=True)
class TextFolding:
    """What a database can do; None for what it cannot."""

    case: Folding | None = Folding(_BY_ICU, plain=_ASCII_CASE)
    accents: Folding | None = Folding(_BY_DECOMPOSITION, plain=_ASCII_ACCENTS)


UNTRIED = TextFolding()
"""What nearly every database can do: until one has answered."""

_FACTS = """
SELECT current_setting('server_encoding') AS encoding,
    ARRAY(SELECT proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
          WHERE nspname = 'dams' AND proargtypes = '25' AND has_schema_privilege(n.oid, 'USAGE')
              AND has_function_privilege(p.oid, 'EXECUTE')) AS ours,
    to_regprocedure('pg_catalog.casefold(text)') IS NOT NULL AS casefold,
    ARRAY(SELECT collname::text FROM pg_collation WHERE collnamespace = 'pg_catalog'::regnamespace) AS collations,
    (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace
     WHERE extname = 'unaccent' AND has_schema_privilege(n.oid, 'USAGE')) AS unaccent
"""

# What is tried, and what has to come out: all of it, or what is the least to be called case or accents.
_CASE = ("StraßE İŉﬁ ΟΔΟΣ Жıẞ", "strasse i̇ʼnfi οδοσ жıss")
_ACCENTS = ("ÀÉÅЙŁø ñ", "AEAИLo n")
_LEAST_CASE, _LEAST_ACCENTS = ("ÀÉÖ", "àéö"), ("ÀÉñ", "AEn")
# Not every encoding has the same letters: those of western and of central Europe, Cyrillic, Greek.
_CASE_OF_ENCODINGS = (_LEAST_CASE, ("ÁÉÖ", "áéö"), ("ЖИ", "жи"), ("ΑΩ", "αω"))


def _cases(facts: Mapping[str, Any]) -> list[tuple[Folding, tuple[str, str]]]:
    collations = facts["collations"]
    found = [(Folding("dams.casefold({text})"), _CASE)] if "casefold" in facts["ours"] else []
    if facts["encoding"] == "UTF8":
        if facts["casefold"] and "pg_unicode_fast" in collations:
            found.append((Folding("casefold({text} COLLATE pg_catalog.pg_unicode_fast)"), _CASE))
        if "und-x-icu" in collations:
            found.append((Folding(_BY_ICU, plain=_ASCII_CASE), _CASE))
        names = [ident("pg_catalog", name) for name in ("pg_c_utf8", "C.utf8", "en_US.utf8") if name in collations]
        found += [
            (Folding(_BY_LOCALE, (("collation", collation),), _ASCII_CASE), _LEAST_CASE)
            for collation in (*names, sql('"default"'))
        ]
    elif "und-x-icu" in collations:
        by_icu = Folding('lower({text} COLLATE pg_catalog."und-x-icu") COLLATE "default"')
        found += [(by_icu, sample) for sample in _CASE_OF_ENCODINGS]
    found += [(Folding('lower({text} COLLATE "default")'), sample) for sample in _CASE_OF_ENCODINGS]
    return found


def _accents(facts: Mapping[str, Any]) -> list[tuple[Folding, tuple[str, str]]]:
    found = [(Folding("dams.unaccent({text})"), _ACCENTS)] if "unaccent" in facts["ours"] else []
    if facts["encoding"] == "UTF8":
        found.append((Folding(_BY_DECOMPOSITION, plain=_ASCII_ACCENTS), _ACCENTS))
    if (schema := facts["unaccent"]) is not None:
        names = (
            ("f", ident(schema, "unaccent")),
            ("dictionary", bind(str(ident(schema, "unaccent").parts[0]), "text")),
        )
        found.append((Folding("{f}({dictionary}::regdictionary, {text})", names), _LEAST_ACCENTS))
    return found


async def text_folding(database: Statements) -> TextFolding:
    """How this database folds texts, tried out. Raises Unavailable."""
    facts = dict((await database.fetch(sql(_FACTS)))[0])
    return TextFolding(await _first(database, _cases(facts)), await _first(database, _accents(facts)))


async def _first(database: Statements, candidates: list[tuple[Folding, tuple[str, str]]]) -> Folding | None:
    for folding, (text, wanted) in candidates:
        folded = folding.of(sql("sample"), is_simple=True)
        statement = sql(
            "SELECT {folded} FROM (SELECT {text} AS sample) AS samples", folded=folded, text=bind(text, "text")
        )
        try:
            found = (await database.fetch(statement))[0][0]
        except (Uncomputable, Unexpected) as error:
            if isinstance(error, Unexpected) and not isinstance(error.__cause__, asyncpg.UndefinedObjectError):
                raise
            # its encoding has no such letters, or ICU does not know the encoding
            continue
        if found == wanted:
            return folding
    return None


class TextFoldings:
    """Follows how a database folds texts: asked when the block begins, and again now and then."""

    def __init__(self, database: Statements) -> None:
        self._database = database
        self._is_known = False
        self._polling = AsyncExitStack()
        self.current = UNTRIED

    async def __aenter__(self) -> Self:
        first = await self._polling.enter_async_context(periodic(self._ask, self._pause, name="text folding"))
        await first.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._polling.aclose()

    def _pause(self) -> float:
        return AGAIN_SECONDS if self._is_known else _SOON_SECONDS

    async def _ask(self) -> None:
        try:
            found = await text_folding(self._database)
        except DomainError:
            # the database is away; its pool has said so
            return
        if found != self.current or not self._is_known:
            self.current, self._is_known = found, True
            missing = [name for name, way in (("CASEI", found.case), ("ACCENTI", found.accents)) if way is None]
            if missing:
                _LOG.warning("this database cannot fold texts", extra={"fields": {"not offered": missing}})
