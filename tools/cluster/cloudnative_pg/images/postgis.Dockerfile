FROM postgis/postgis:15-3.3
# the operator runs it as this user, without an entrypoint
RUN usermod --uid 26 --gid 26 postgres
ENV PATH=/usr/lib/postgresql/15/bin:$PATH
ENTRYPOINT []
USER 26
