# Heliograph with everything it needs, the embedded Neo4j's Java included; `docker compose up` runs it beside a Neo4j.
# Debian, because the Java runtime from PyPI is not built for musl.
FROM python:3.13.9-slim-bookworm AS build

WORKDIR /build
COPY requirements-uv.lock requirements.lock requirements-dev.lock ./
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore \
        --require-hashes --requirement requirements-uv.lock \
    && uv venv --no-cache /opt/heliograph \
    && uv pip sync --no-cache --python /opt/heliograph --require-hashes requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY graph graph
COPY api api
COPY cli cli
COPY seed seed
COPY cypher cypher
# What builds the wheel comes by hash as well: the development lock holds it.
RUN uv build --no-cache --wheel --build-constraints requirements-dev.lock --require-hashes --out-dir dist \
    && uv pip install --no-cache --python /opt/heliograph --no-deps dist/*.whl


FROM python:3.13.9-slim-bookworm

RUN useradd --uid 10001 --create-home heliograph \
    && install --directory --owner heliograph --group heliograph --mode 0700 /var/lib/heliograph
COPY --from=build /opt/heliograph /opt/heliograph
ENV PATH=/opt/heliograph/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HELIOGRAPH_HOME=/var/lib/heliograph

USER heliograph
WORKDIR /home/heliograph
VOLUME /var/lib/heliograph
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s --retries=6 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4).read()"]
ENTRYPOINT ["heliograph"]
CMD ["up", "--host", "0.0.0.0"]
