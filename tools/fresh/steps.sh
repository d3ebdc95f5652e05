#!/usr/bin/env bash
# Inside a fresh system: runs the named steps in the checkout, and prints a line `RESULT …` for each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
new=$(git rev-parse HEAD)
python=.venv/bin/python

checked() { # name, command…: runs it; prints its seconds, also of the processor, and the longest time without a line of output; fails with it
  local name=$1 start=$EPOCHREALTIME last=$EPOCHREALTIME now quiet longest=0 before= line status= processor= after=
  shift
  while IFS= read -r line; do
    now=$EPOCHREALTIME
    quiet=$(((${now/./} - ${last/./}) / 1000000))
    [ "$quiet" -le "$longest" ] || { longest=$quiet && after=$before; }
    last=$now before=$line
    [ -z "$status" ] || { processor=${line/ /+} && continue; }
    case $line in STATUS\ *) read -r _ status _ <<<"$line" ;; *) printf '%s\n' "$line" >&2 ;; esac
  done < <(code=0; "$@" 2>&1 || code=$?; echo -n "STATUS $code "; times)
  echo "RESULT $name seconds=$(((${last/./} - ${start/./}) / 1000000)) processor=$processor silence=$longest (after: ${after:0:60}) status=${status:-1}"
  return "${status:-1}"
}

count_packages() { dpkg-query -W -f '${db:Status-Abbrev}\n' | grep -c '^ii'; }
count_mb() { du -smx / 2>/dev/null | cut -f1; }
rows() { make -s psql ARGS="-Atc 'SELECT count(*) FROM hazard.hazard_eq_events'"; }
collections() { "$python" -c "
import json, sys, urllib.request
with urllib.request.urlopen('http://127.0.0.1:$DAMS_GATEWAY_PORT/api/collections') as answer:
    print(len(json.load(answer)['collections']))"; }
expect() { # what, found, wanted
  [ "$2" = "$3" ] || { echo "RESULT $1 failed: $2 instead of $3"; return 1; }
  echo "RESULT $1 ok: $2"
}

step_up() {
  local packages mb
  packages=$(count_packages) mb=$(count_mb)
  checked up make up
  echo "RESULT up packages=$(($(count_packages) - packages)) megabytes=$(($(count_mb) - mb))" \
    "distributions=$("$python" -m pip list 2>/dev/null | tail -n +3 | wc -l) collections=$(collections)"
  checked again make up
}
step_test-quick() { checked test-quick make test-quick; }
step_test() { checked test make test; }
step_bench() { checked bench make bench ARGS="--only item --seconds 1 --rounds 1" PEERS=tipg; }
step_tutorial() { make up >&2; checked tutorial "$python" -m tools.fresh.tutorial "http://127.0.0.1:$DAMS_GATEWAY_PORT/api"; }

former_release() { # the newest tag before this commit, else the last commit of the day that the changelog gives its newest release
  git describe --tags --abbrev=0 HEAD^ 2>/dev/null && return
  git rev-list --first-parent -1 --until="$(sed -n 's/^## .* - \(20.*\)/\1/p' CHANGELOG.md | head -n 1) 23:59:59 +0000" HEAD^
}

step_upgrade() { # from the release $FROM to this one, and back
  [ -n "${FROM:-}" ] || FROM=$(former_release)
  # the first release knows the settings by their former names only
  local before old=(env "GATEWAY_PORT=$DAMS_GATEWAY_PORT")
  echo "RESULT upgrade from $(git log -1 --format='%h of %cs' "$FROM")"
  make down >&2
  rm -rf .local
  git checkout --quiet "$FROM"
  checked upgrade-from "${old[@]}" make up
  make -s psql ARGS="-c \"INSERT INTO hazard.hazard_eq_events (event_id, event_date, source, geom) VALUES ('kept', now(), 'fresh', 'SRID=4326;POINT(1 2)')\"" >&2
  before=$(rows)
  git checkout --quiet "$new"
  checked upgrade make up
  expect upgrade-rows "$(rows)" "$before"
  make -s schema ARGS=version
  checked revert make schema ARGS="revert --to 1"
  git checkout --quiet "$FROM"
  # the first release stops at demo tables with rows of others
  checked rollback "${old[@]}" make up DEMO_DATA=no
  expect rollback-rows "$(rows)" "$before"
  expect rollback-collections "$(collections)" "$(make -s psql ARGS="-Atc \"SELECT count(*) FROM geometry_columns WHERE f_table_schema = 'hazard'\"")"
  git checkout --quiet "$new"
  checked upgrade-again make up
  expect upgrade-again-rows "$(rows)" "$before"
}

# shellcheck source=/dev/null
. /etc/os-release
echo "RESULT system $PRETTY_NAME, $(nproc) processors, $(date -u +%F), commit ${new:0:10}"
for step in "$@"; do "step_$step"; done
make down >&2
