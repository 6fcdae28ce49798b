# The service without the embedded PostgreSQL, so it needs a DATABASE_URL.
ARG NODE_IMAGE=node:24-bookworm-slim

# What these two stages make is the same for every platform. They run natively, because Node.js crashes in the emulator of a release.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Includes optional dependencies: one of them is the compiler for this platform.
RUN npm ci --ignore-scripts --no-audit
COPY .swcrc nest-cli.json tsconfig.json ./
COPY .ci/sbom.mjs .ci/
COPY bin/node-version.cjs bin/
COPY migrations migrations
COPY src src
RUN npm run build && find dist -name '*.map' -delete

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY deploy/image/prune.sh /
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit && /prune.sh node_modules

FROM ${NODE_IMAGE}
# The final image does not install packages.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/yarn* \
      /usr/local/bin/corepack /opt/yarn* \
 && groupadd --gid 10001 petstore \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin petstore \
 && ln -s /app/bin/petstore.js /usr/local/bin/petstore
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY LICENSE package.json ./
COPY bin bin
COPY deploy/image/healthcheck.mjs deploy/image/
COPY --from=build /app/dist dist

ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
EXPOSE 3000
# By number, so that Kubernetes can verify that it is not root. The user owns no file in the image.
USER 10001:10001

HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 CMD ["node", "deploy/image/healthcheck.mjs"]
# Node.js receives the signals itself. It starts no processes, so it does not need an init process.
# With 512 MB of memory Node.js defaults to 1 MB for new objects, which doubles the cost of a request.
CMD ["node", "--max-semi-space-size=32", "dist/src/main.js"]

ARG VERSION=local
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Pet Store" \
      org.opencontainers.image.description="A pet store inventory over JSON and HTTP" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="node:24-bookworm-slim"
