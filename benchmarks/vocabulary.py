"""The words that generated memories and code are made of: technical English of people who run a web service.

The order of each list matters: the earlier a word stands, the more often it is used (``texts.Writer.pick``).
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Areas of the code: folders under src/, and what people call them.
AREAS = _words(
    """
    auth billing checkout search ingest export notifications reports scheduler users catalog
    inventory shipping payments webhooks sessions media audit imports pricing ledger messaging
    geocoding feeds tenants quotas exports gateway metrics profiles translations uploads refunds
    invoices subscriptions permissions onboarding archive recommendations forecasting
    """
)

PARTS = _words(
    """
    token invoice order session user index batch payment event message cart template tenant webhook
    upload job refund address report price stock label queue cursor rate plan snapshot receipt
    channel digest contact coupon window bundle voucher
    """
)

ROLES = _words(
    """
    store handler client worker parser cache router schema writer reader mapper policy validator
    limiter planner builder loader publisher consumer serializer
    """
)

VERBS = _words(
    """
    load save find build check send parse merge refresh render apply resolve publish verify rotate
    flush encode expire schedule validate split collect claim drain replay throttle archive compact
    hydrate reconcile
    """
)

TECHNOLOGIES = _words(
    """
    Postgres Redis Kafka nginx Docker SQLAlchemy pytest Celery Kubernetes Terraform FastAPI S3
    Elasticsearch RabbitMQ gRPC GraphQL Prometheus Grafana mypy ruff Alembic Pydantic Playwright
    webpack TypeScript React Helm systemd OpenSSL Vault ClickHouse DynamoDB SQLite protobuf Envoy
    Istio Airflow dbt Spark Parquet Arrow gunicorn uvicorn asyncio Node pnpm esbuild Jinja Sentry
    OpenTelemetry Jaeger Loki Varnish HAProxy Consul etcd Nomad Memcached MinIO Keycloak
    """
)

ERRORS = (
    "TimeoutError",
    "ConnectionResetError",
    "HTTP 429",
    "KeyError",
    "HTTP 502",
    "deadlock detected",
    "ENOSPC",
    "IntegrityError",
    "out of memory",
    "SIGKILL",
    "HTTP 401",
    "UnicodeDecodeError",
    "connection pool exhausted",
    "JSONDecodeError",
    "permission denied",
    "serialization failure",
    "HTTP 409",
    "broken pipe",
    "stale file handle",
    "certificate has expired",
    "too many open files",
    "AttributeError",
    "RecursionError",
    "HTTP 413",
    "lock timeout",
    "duplicate key value",
    "ECONNREFUSED",
    "no space left on device",
    "ValueError",
    "name resolution failed",
    "read timed out",
    "HTTP 503",
    "checksum mismatch",
    "segmentation fault",
    "import cycle",
    "NaN in the total",
)

NOUNS = _words(
    """
    request test service value data change file queue response table database cache job row key
    config timeout build default deploy error user path version migration client server worker
    message log field branch retry index page query container process record header schema token
    event connection release memory module environment endpoint transaction package script limit
    thread command column pipeline parameter function payload batch dependency library fixture
    session permission secret variable region cluster volume metric alert dashboard threshold backup
    replica partition offset consumer producer topic schedule timer backoff jitter signature
    certificate hostname socket buffer stream chunk encoding locale timezone currency rounding
    decimal precision constraint trigger view cursor snapshot checkpoint rollback savepoint
    isolation lease heartbeat leader follower quorum shard router proxy middleware decorator
    generator iterator coroutine semaphore mutex barrier latch pool handle descriptor inode symlink
    mount quota namespace label selector manifest chart image layer registry tag artifact checksum
    digest nonce salt cipher scope claim grant audience issuer tenant role policy rule filter sort
    facet synonym analyzer tokenizer stemmer embedding ranking relevance snippet highlight
    pagination throttle burst window bucket histogram percentile baseline regression flake
    quarantine bisect worktree submodule rebase squash changelog milestone rollout canary toggle
    experiment cohort funnel attribution invoice receipt refund dispute chargeback settlement ledger
    journal reconciliation tax discount coupon bundle shipment carrier tracking warehouse stocktake
    barcode supplier catalogue thumbnail transcode codec bitrate manifest subtitle watermark
    """
)

ADJECTIVES = _words(
    """
    new old same wrong empty slow stale missing large second local remote nightly idempotent
    concurrent expired nested partial duplicate strict lazy shared cold warm read-only internal
    public signed encrypted compressed truncated optional mandatory deprecated flaky deterministic
    recursive transient permanent unbounded orphaned malformed redundant immutable replicated
    ephemeral case-insensitive backwards-compatible append-only
    """
)

PEOPLE = _words(
    """
    ana ben chen dara eli farah goran hana ivo jun kofi lena mira noor otto priya quinn rosa
    """
)
AGENTS = _words(
    """
    dev reviewer planner tester lead scout
    """
)

SMALL_WORDS = _words(
    """
    before after because while unless until since once when where
    """
)

DURATIONS = (
    "30 s",
    "5 minutes",
    "250 ms",
    "an hour",
    "15 minutes",
    "two days",
    "90 s",
    "10 s",
    "a week",
    "100 ms",
    "24 hours",
    "45 minutes",
    "3 s",
    "half a second",
    "12 hours",
    "700 ms",
    "a month",
    "20 minutes",
)
