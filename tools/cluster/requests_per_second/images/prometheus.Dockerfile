# Debian 12's does not find the pods of a cluster
FROM debian:bookworm-slim
RUN sed -i s/bookworm/trixie/g $(find /etc/apt -name '*.list' -o -name '*.sources') \
    && apt-get update && apt-get install -y --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/*
USER 65534
ENTRYPOINT ["prometheus"]
