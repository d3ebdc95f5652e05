# Debian 12's has no auth_dbname, which the operator sets
FROM debian:bookworm-slim
RUN sed -i s/bookworm/trixie/g $(find /etc/apt -name '*.list' -o -name '*.sources') \
    && apt-get update && apt-get install -y --no-install-recommends pgbouncer && rm -rf /var/lib/apt/lists/*
RUN ln -sf "$(command -v pgbouncer)" /usr/bin/pgbouncer; test -x /usr/bin/pgbouncer \
    && (getent group 996 || groupadd --gid 996 pooler) && useradd --uid 998 --gid 996 pooler
USER 998
