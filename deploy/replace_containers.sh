#!/bin/sh
# Replaces containers of docker compose by those of the images of now, one service after the other, without losing a request:
#   docker compose build && sh deploy/replace_containers.sh features tiles
# Without names: all services, not the gateway. That needs two ports, DAMS_GATEWAY_PORT=8080-8081, and a web server in front
# that knows both; while it is replaced they change places.
set -eu
[ $# -gt 0 ] || set -- common features tiles viewer
for service; do
    old=$(docker compose ps --quiet "$service")
    count=$(echo "$old" | wc -l)
    [ -n "$old" ] || { echo "$service does not run" >&2; exit 1; }
    echo "$service: $count beside $count"
    docker compose up --detach --no-deps --no-recreate --wait --scale "$service=$((2 * count))" "$service"
    # the gateway looks every second, and takes two more to tell its clients
    sleep 8
    for container in $old; do
        if [ "$service" = gateway ]; then
            # answers end their connections from now on
            docker exec "$container" touch /run/dams/draining
            sleep 3
        fi
        # requests that have begun are completed
        docker stop "$container" >/dev/null
        docker rm --volumes "$container" >/dev/null
    done
done
