FROM debian:bookworm-slim
COPY --chmod=755 adapter /
USER 65534
ENTRYPOINT ["/adapter"]
