#!/usr/bin/env bash
# Root: installs Debian or Ubuntu packages without starting a daemon, now or at the next boot, and without
# creating PostgreSQL's default cluster. `postgresql` stands for the server with the PostGIS that fits it.
#   install_packages.sh [--keep-lists] <package>...
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

policy=/usr/sbin/policy-rc.d
cluster=/etc/postgresql-common/createcluster.d
undo=()
clean_up() {
  for path in "${undo[@]}"; do rm -f "$path"; done
  rmdir "$cluster" 2>/dev/null || true
}
trap clean_up EXIT

if [ ! -e $policy ]; then
  undo+=("$policy")
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 755 $policy
fi
undo+=("$cluster/dams.conf")
mkdir -p "$cluster"
printf 'create_main_cluster = false\n' >"$cluster/dams.conf"

lists=$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -print -quit)
if [ "$1" = --keep-lists ]; then lists=keep && shift; fi
apt-get update
packages=()
for package in "$@"; do
  if [ "$package" = postgresql ]; then
    version=$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1)
    packages+=("postgresql-$version" "postgresql-$version-postgis-3" "postgresql-$version-postgis-3-scripts")
  else
    packages+=("$package")
  fi
done

new_services=()
for service in postgresql redis-server nginx pgbouncer; do
  dpkg -s "$service" >/dev/null 2>&1 || dpkg -s "$service-common" >/dev/null 2>&1 || new_services+=("$service")
done
# the downloaded packages are not left behind
apt-get -o DPkg::Lock::Timeout=300 -o APT::Keep-Downloaded-Packages=false install --yes --no-install-recommends "${packages[@]}"
# nor are lists of packages, where there were none, and what apt makes of them
[ -n "$lists" ] || find /var/lib/apt/lists /var/cache/apt -maxdepth 1 -type f ! -name lock -delete
if [ -d /run/systemd/system ]; then
  for service in "${new_services[@]}"; do systemctl disable "$service" >/dev/null 2>&1 || true; done
fi
