# The daemon in an image: `docker build --tag pendingd .`
#
# Without tokens it serves only whom it is told to serve; publish it to this machine alone:
#   docker run --publish 127.0.0.1:8080:8080 --volume pending:/var/lib/pending pendingd --allow-anonymous
# Each flag of pendingd may follow the image's name, or be given as --env PENDING_….
ARG BUILD_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

# What the daemon needs to run: the C libraries, fonts (Inter for titles, DejaVu for other scripts) and its user.
FROM ${RUNTIME_IMAGE} AS runtime
# Older ones have known faults; this one comes from Debian's security archive.
ARG LIBEVENT_MINIMUM=2.1.12-stable-8+deb12u1
RUN export DEBIAN_FRONTEND=noninteractive \
    && echo 'Acquire::Retries "3";' >/etc/apt/apt.conf.d/80-retries \
    && apt-get update \
    && apt-get install --yes --no-install-recommends libevent-core-2.1-7 \
    && version=$(dpkg-query --show --showformat='${Version}' libevent-core-2.1-7) \
    && if ! dpkg --compare-versions "$version" ge "$LIBEVENT_MINIMUM"; then \
        echo "libevent-core $version is older than $LIBEVENT_MINIMUM: is the security archive enabled?" >&2; exit 1; \
    fi \
    && apt-get install --yes --no-install-recommends fontconfig fonts-dejavu-core fonts-inter libcairo2 libfontconfig1 \
        libjansson4 libpangoft2-1.0-0 \
        libpango-1.0-0 libpangocairo-1.0-0 libsqlite3-0 libssl3 libstdc++6 \
    && fc-cache --force --system-only \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
RUN groupadd --gid 10001 pending \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/pending --shell /usr/sbin/nologin pending \
    && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/pending

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY scripts/setup scripts/setup
RUN scripts/setup build
COPY Package.swift ./
COPY Sources Sources
# The manifest names the tests' folders.
COPY Tests Tests
RUN swift build --configuration release --static-swift-stdlib --product pendingd \
    && install -D --strip "$(swift build --configuration release --show-bin-path)/pendingd" /out/pendingd

FROM runtime
COPY --from=build /out/pendingd /usr/local/bin/pendingd
USER 10001:10001
WORKDIR /var/lib/pending
VOLUME /var/lib/pending
EXPOSE 8080
ENV PENDING_LISTEN=0.0.0.0:8080 PENDING_JOURNAL=sqlite:/var/lib/pending/pending.db
# A drain takes at most 8 s, so the 10 s that most runtimes wait are enough.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["/usr/local/bin/pendingd", "--check", "http://127.0.0.1:8080/healthz"]
ENTRYPOINT ["/usr/local/bin/pendingd"]
