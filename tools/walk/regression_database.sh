#!/usr/bin/env bash
# An independent database for `make walk`: the regression tests of PostgreSQL and PostGIS, a schema for each file.
#   regression_database.sh <folder with the sources of PostgreSQL> <folder with those of PostGIS>
# DAMS_DATABASE_URL is that of a new, empty database, for a superuser on the same machine. Objects that the tests would drop
# are kept. The server's user must be able to read the sources. They are those of the packages: apt-get source
# postgresql-15 postgis
set -euo pipefail
postgresql=$(realpath "$1")/src/test/regress postgis=$(realpath "$2")/regress
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ask() { psql -X -q "$DAMS_DATABASE_URL" "$@"; }

for extension in postgis postgis_topology postgis_raster fuzzystrmatch postgis_tiger_geocoder hstore citext ltree cube seg isn intarray; do
  ask -c "CREATE EXTENSION IF NOT EXISTS $extension"
done

run() { # file, schema: what fails is passed over
  {
    echo "CREATE SCHEMA IF NOT EXISTS $2; SET search_path = $2, rg_test_setup, public; SET statement_timeout = '20s';"
    sed -E -e 's/^\s*(DROP (TABLE|VIEW|MATERIALIZED|TYPE|SCHEMA|FUNCTION|DOMAIN|SEQUENCE|OWNED|DATABASE|EXTENSION)|ROLLBACK|TRUNCATE|\\c |\\q|\\connect|set search_path|reset all)/-- \1/I' \
      -e 's/^\\getenv .*//' "$1"
  } >"$folder/one.sql"
  timeout 90 psql -X -q "$DAMS_DATABASE_URL" -v abs_srcdir="$postgresql" -v abs_builddir="$folder" \
    -v libdir="$(pg_config --pkglibdir)" -v regdir="$postgis" -v schema= -f "$folder/one.sql" >/dev/null 2>&1 </dev/null || true
}

# those that change the server or other databases, drop all that they make, or run for very long
left_out='^(test_setup|tablespace|database|infinite_recurse|publication|subscription|event_trigger|stats|vacuum_parallel|maintain_every|largeobject|conversion|euc_kr|collate.*|opr_sanity|type_sanity|misc_sanity|oidjoins|lock|privileges|create_role|roleattributes|password|guc|async|dbsize|prepared_xacts|write_parallel|select_parallel|init_privs|object_address|security_label|xmlmap|tuplesort|regex|psql.*|drop_operator|create_operator|create_aggregate)$'
for name in test_setup $(sed -n 's/^test: //p' "$postgresql/parallel_schedule" | tr ' ' '\n' | grep -vE "$left_out"); do
  run "$postgresql/sql/$name.sql" "rg_$name"
done
find "$postgis" -name '*.sql' | grep -vE 'loader|dumper|uninstall|hooks|upgrade|performance' | while read -r file; do
  run "$file" "gis_$(basename "$file" .sql | tr -c 'a-zA-Z0-9\n' _)"
done
ask -c ANALYZE
echo "DAMS_NONSPATIAL_COLLECTIONS=*"
echo "DAMS_COLLECTION_SCHEMAS=$(ask -Atc "SELECT string_agg(nspname, ',') FROM pg_namespace WHERE nspname ~ '^(rg|gis)_' OR nspname IN ('public', 'topology', 'tiger')")"
