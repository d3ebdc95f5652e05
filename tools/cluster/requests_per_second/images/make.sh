#!/bin/sh
# Stand-ins for the images of Prometheus and its adapter, for a machine that reaches no registry of images: Prometheus of Debian, and
# the adapter built with Go, by the names that manifests have.
#   sh tools/cluster/requests_per_second/images/make.sh    then bring what it prints to the nodes
set -eu
cd "$(dirname "$0")"
named() { sed -n 's/^ *image: //p' "../$1.yaml"; }
context=$(mktemp -d)
trap 'rm -r "$context"' EXIT
adapter=$(named adapter)
source=$(go mod download -json "sigs.k8s.io/prometheus-adapter@${adapter##*:}" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
(cd "$source" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$context/adapter" ./cmd/adapter)
docker build --quiet --tag "$adapter" --file adapter.Dockerfile "$context" >&2
docker build --quiet --tag "$(named prometheus)" - <prometheus.Dockerfile >&2
echo "$adapter $(named prometheus)"
