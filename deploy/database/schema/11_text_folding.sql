-- The filter functions CASEI and ACCENTI as SQL functions of one column. An index on dams.casefold(name) or on
-- dams.unaccent(name) speeds filters up. The expressions are those of libs/pg/text_folding.py, which the services use
-- in databases without these functions. Only for UTF-8.
DO $$
BEGIN
    IF getdatabaseencoding() <> 'UTF8' OR NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN
        RETURN;
    END IF;
    CREATE OR REPLACE FUNCTION dams.casefold(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
        SELECT CASE WHEN octet_length($1) = length($1) THEN lower($1 COLLATE "C") COLLATE "default"
        ELSE translate(replace(lower(upper(translate($1,
            'ı', U&'\FDD0') COLLATE pg_catalog."und-x-icu")), 'ß', 'ss'), U&'\FDD0ς',
            'ıσ') COLLATE "default" END
    $body$;
    COMMENT ON FUNCTION dams.casefold(text) IS 'The text in full case folding, independent of lc_ctype; immutable, for indexes and filters with CASEI.';
    CREATE OR REPLACE FUNCTION dams.unaccent(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
        SELECT CASE WHEN octet_length($1) = length($1) THEN $1 COLLATE "default"
        ELSE replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize($1 COLLATE "C", NFD),
            '[\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g'), NFC),
            'ØøÐðĐđĦħıŁłŊŋŦŧƀƗɨƵƶɃɄʉ', 'OoDdDdHhiLlNnTtbIiZzBUu'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ',
            'oe'), 'ß', 'ss'), 'ẞ', 'SS'), 'Þ', 'TH'), 'þ', 'th') COLLATE "default" END
    $body$;
    COMMENT ON FUNCTION dams.unaccent(text) IS 'The text without accents; immutable, for indexes and filters with ACCENTI.';
END
$$;
