#!/usr/bin/env bash
# Root: does on a fresh system of another release what the README and docs/ say, as root there, and prints what it took.
#   try_fresh.sh <folder> <release> <checkout> <step>...   steps: up test-quick bench tutorial upgrade test (steps.sh)
# With AGAIN=yes it goes on in the system of the last run, at the checkout's commit of now: after a failed step.
# One at a time on a machine: the systems share its ports.
# The system is unpacked from the mirror that apt knows, and runs in namespaces of its own: all its processes end with it.
set -euo pipefail
folder=$1 release=$2 checkout=$3
shift 3

[ "$(id -u)" = 0 ] || { echo "error: a fresh system can only be unpacked as root" >&2; exit 1; }
command -v mmdebstrap >/dev/null || bash "$checkout/deploy/local/install_packages.sh" mmdebstrap >/dev/null
valid=true
eval "$(apt-config shell valid Acquire::Check-Valid-Until)"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
[ -z "${MIRROR:-}" ] || mirror=$MIRROR
components=main
case $release in focal | jammy | noble | plucky | questing) components="main universe" ;; esac

unpack() {
  rm -rf "$folder"
  mkdir -p "$folder"
  echo "Unpacking $release into $folder" >&2
  mmdebstrap --quiet --mode=root --variant=minbase --include=ca-certificates,curl,git,make \
    --aptopt="Acquire::Check-Valid-Until \"$valid\"" "$release" "$folder" "deb ${mirror%/} $release $components" || {
    echo "error: $release could not be unpacked from ${mirror%/}; Ubuntu needs MIRROR=<its mirror> and the package ubuntu-keyring" >&2
    exit 1
  }
  # how this machine reaches mirrors and registries: certificates, and settings of apt, pip and npm
  cp -a /usr/local/share/ca-certificates/. "$folder/usr/local/share/ca-certificates/"
  for file in /etc/pip.conf /etc/npmrc "$HOME/.npmrc"; do [ ! -e "$file" ] || cp "$file" "$folder$file"; done
  cp /etc/resolv.conf /etc/hosts "$folder/etc/"
  printf 'Acquire::Check-Valid-Until "%s";\n' "$valid" >"$folder/etc/apt/apt.conf.d/99fresh"
  chroot "$folder" update-ca-certificates >/dev/null 2>&1
  git clone --quiet "$checkout" "$folder/srv/dams"
}
if [ "${AGAIN:-no}" = yes ] && [ -d "$folder/srv/dams" ]; then
  git -C "$folder/srv/dams" fetch --quiet "$checkout" HEAD
  git -C "$folder/srv/dams" checkout --quiet --detach FETCH_HEAD
else
  unpack
fi

environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb)
environment+=("FROM=${FROM:-}" "DAMS_GATEWAY_PORT=${DAMS_GATEWAY_PORT:-8080}")
for name in SSL_CERT_FILE NODE_EXTRA_CA_CERTS PIP_CERT REQUESTS_CA_BUNDLE http_proxy https_proxy no_proxy; do
  [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
exec unshare --mount --pid --ipc --uts --fork --kill-child bash -c '
  mount --rbind /dev "$1/dev"
  mount -t proc proc "$1/proc"
  folder=$1
  shift
  exec env -i "$@"' - "$folder" "${environment[@]}" chroot "$folder" bash /srv/dams/tools/fresh/steps.sh "$@"
