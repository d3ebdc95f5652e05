FROM debian:bookworm-slim
# as the operator looks for what its nodes may run
COPY --chmod=755 manager_* /operator/
RUN ln -s /operator/manager_* /manager
USER 65532:65532
ENTRYPOINT ["/manager"]
