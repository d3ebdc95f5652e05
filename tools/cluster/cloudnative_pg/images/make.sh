#!/bin/sh
# Stand-ins for the images of CloudNativePG, for a machine that reaches no registry of images: builds the operator of a checkout
# at a release's tag with Go, and beside it PostgreSQL with PostGIS and PgBouncer of Debian, by the names that manifests have.
#   sh tools/cluster/cloudnative_pg/images/make.sh ../cloudnative-pg    then bring what it prints to the nodes
# and install the operator, which is not to be pulled:
#   sed 's/imagePullPolicy: Always/imagePullPolicy: IfNotPresent/' ../cloudnative-pg/releases/cnpg-VERSION.yaml | kubectl apply --server-side -f -
set -eu
source=$(cd "$1" && pwd)
cd "$(dirname "$0")"
named() { sed -n "s/^\t$1 = \"\(.*\)\"/\1/p" "$source/pkg/versions/versions.go"; }
operator=$(named DefaultOperatorImageName)
pooler=$(named DefaultPgbouncerImage)
database=$(sed -n 's/^  imageName: //p' ../../../../deploy/kubernetes/overlays/cloudnative-pg/postgresql.yaml)
context=$(mktemp -d)
trap 'rm -r "$context"' EXIT
(cd "$source" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$context/manager_$(go env GOARCH)" ./cmd/manager)
cp operator.Dockerfile "$context/Dockerfile"
docker build --quiet --tag "$operator" "$context" >&2
docker build --quiet --tag "$database" - <postgis.Dockerfile >&2
docker build --quiet --tag "$pooler" - <pgbouncer.Dockerfile >&2
echo "$operator $database $pooler"
