# The command in a small image:
#   docker build -t kith . && docker run -u "$(id -u)" -v "$PWD/store:/store" kith stats /store
# Written but not run.
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libzstd-dev pkg-config
WORKDIR /source
COPY . .
# Swift's runtime is linked in, so that the image needs libzstd and libstdc++ alone.
RUN swift build -c release --product kith --static-swift-stdlib \
  && KITH=$(swift build -c release --static-swift-stdlib --show-bin-path)/kith DESTDIR=/installed Scripts/install /usr/local \
  && strip /installed/usr/local/bin/kith

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libzstd1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --create-home kith
COPY --from=build /installed/usr/local /usr/local
USER kith
WORKDIR /home/kith
ENTRYPOINT ["kith"]
CMD ["--help"]
