#!/usr/bin/env bash
# Root: makes a folder with QGIS, GDAL, curl and nginx as another release of Debian has them, from the mirror that apt knows; the
# system stays as it is. `make test-newer-clients` runs them there.
#   other_debian.sh <folder> <release>
set -euo pipefail
folder=$1 release=$2

[ ! -e "$folder/.made" ] || exit 0
[ "$(id -u)" = 0 ] || { echo "error: another release can only be unpacked as root" >&2; exit 1; }
command -v mmdebstrap >/dev/null || bash deploy/local/install_packages.sh mmdebstrap >/dev/null
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
# the package lists of a frozen mirror have expired: this tells apt whether to accept them
valid=true
eval "$(apt-config shell valid Acquire::Check-Valid-Until)"
echo "Unpacking QGIS, GDAL, curl and nginx of $release into $folder, about 2 GB"
rm -rf "$folder"
mkdir -p "$folder"
mmdebstrap --quiet --mode=root --variant=minbase --aptopt="Acquire::Check-Valid-Until \"$valid\"" --include=ca-certificates,curl,gdal-bin,nginx-light,python3-qgis,qgis-providers \
  "$release" "$folder" "deb ${mirror%/} $release main"
touch "$folder/.made"
