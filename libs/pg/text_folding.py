"""The database's way to compare texts without regard to case (CASEI) or accents (ACCENTI).

Both are expressions of built-in functions, whatever `lc_ctype` says: managed servers often have `C`, under which
`lower` knows ASCII only. The service tests once which of them a database supports, not at the first filter.
"""

import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any, LiteralString, Self

import asyncpg

from libs.concurrency.background import periodic
from libs.ogc.errors import DomainError, Uncomputable
from libs.pg.errors import Unexpected
from libs.pg.pool import Statements
from libs.pg.sql import Sql, bind, ident, sql
from libs.pg.text_search import TextSearch, text_search

_LOG = logging.getLogger("dams.folding")
AGAIN_SECONDS = 60.0
_SOON_SECONDS = 1.0

# Full case folding (Unicode, section 5.18) through upper case, which splits ligatures and ŉ, and makes ς and σ equal. ı
# alone must not become i: a noncharacter replaces it temporarily.
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
# It removes marks from the blocks of combining diacritical marks, also of Cyrillic (й). Letters with a stroke have no
# mark, but a search for Lodz should find Łódź.
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
    """One way to fold a text, an expression of `{text}`."""

    template: LiteralString
    names: tuple[tuple[str, Sql], ...] = ()
    """Further names in the template."""
    plain: LiteralString | None = None
    """A faster expression for texts of ASCII only, if there is one."""

    def of(self, text: Sql, *, is_simple: bool) -> Sql:
        """Return the folded text; `is_simple` says that it is short, like a column, and may be repeated."""
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
    """The foldings that a database supports; None for one that it does not."""

    case: Folding | None = Folding(_BY_ICU, plain=_ASCII_CASE)
    accents: Folding | None = Folding(_BY_DECOMPOSITION, plain=_ASCII_ACCENTS)
    search: TextSearch = field(default=TextSearch(), compare=False)
    """For the parameter `q`."""

    def of(self, text: Sql) -> Sql:
        """Return a column or a word without case and accents, as far as the database supports it."""
        for folding in (self.case, self.accents):
            text = text if folding is None else folding.of(text, is_simple=True)
        return text


UNTRIED = TextFolding()
"""The foldings of nearly every database, used until one has been tested."""

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

# Test texts and their expected results: a full test, or a minimum to count as case or accents.
_CASE = ("StraßE İŉﬁ ΟΔΟΣ Жıẞ", "strasse i̇ʼnfi οδοσ жıss")
_ACCENTS = ("ÀÉÅЙŁø ñ", "AEAИLo n")
_LEAST_CASE, _LEAST_ACCENTS = ("ÀÉÖ", "àéö"), ("ÀÉñ", "AEn")
# Encodings have different letters: Western and Central European, Cyrillic, Greek.
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
    """Test and return the foldings of this database. Raises Unavailable."""
    facts = dict((await database.fetch(sql(_FACTS)))[0])
    return TextFolding(await _find_first(database, _cases(facts)), await _find_first(database, _accents(facts)))


async def _find_first(database: Statements, candidates: list[tuple[Folding, tuple[str, str]]]) -> Folding | None:
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
            # its encoding does not have these letters, or ICU does not know the encoding
            continue
        if found == wanted:
            return folding
    return None


class TextFoldings:
    """Keeps the foldings of a database current: tested when the block begins, and again from time to time."""

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
            found = replace(await text_folding(self._database), search=await text_search(self._database))
        except DomainError:
            # the database is unavailable; its pool has logged that
            return
        is_news, self.current = found != self.current or not self._is_known, found
        if is_news:
            self._is_known = True
            missing = [name for name, way in (("CASEI", found.case), ("ACCENTI", found.accents)) if way is None]
            if missing:
                _LOG.warning("this database cannot fold texts", extra={"fields": {"not offered": missing}})
