import Sequencer from '@jest/test-sequencer';

/** These mostly wait: for timeouts, locks, and recovery after a kill. */
const WAIT = [
  'test/promises/health.e2e-spec.ts',
  'test/promises/idempotency.e2e-spec.ts',
  'src/rate-limit/redis/redis-throttler.storage.spec.ts',
  'src/rate-limit/memory/memory-throttler.storage.spec.ts',
  'src/database/pipeline/statement-batches.spec.ts',
  'test/promises/transport.e2e-spec.ts',
  'test/promises/bans.e2e-spec.ts',
  'src/rate-limit/redis/sentinels.spec.ts',
];

/** On a first run, Jest has no durations yet. If one of these came last, it would keep a single worker busy. */
const LONGEST = [
  'test/start.e2e-spec.ts',
  'embedded-postgres/embedded-postgres.spec.ts',
  'test/ordinary-nest.e2e-spec.ts',
  'test/command-line.e2e-spec.ts',
  'test/promises/clients.e2e-spec.ts',
  'test/promises/contract.e2e-spec.ts',
  'test/promises/code-samples.e2e-spec.ts',
  'test/webhooks.e2e-spec.ts',
  'test/events.e2e-spec.ts',
  'test/webhooks-commands.e2e-spec.ts',
  'test/promises/documents.e2e-spec.ts',
  'test/migrate.e2e-spec.ts',
  'test/promises/features.slow-spec.ts',
  'test/webhooks.slow-spec.ts',
  'test/scripts/dev.slow-spec.ts',
  'test/start.slow-spec.ts',
  'test/promises/flapping-redis.slow-spec.ts',
  'test/deploy/image.slow-spec.ts',
  'test/promises/idempotency-processes.slow-spec.ts',
  'test/deploy/backup.slow-spec.ts',
  'test/promises/client-packages.slow-spec.ts',
  'test/promises/durable-days.slow-spec.ts',
  'test/promises/code-samples.slow-spec.ts',
  'test/promises/database-failover.slow-spec.ts',
];

/** Distributes suites that wait among those that compute. Running side by side, they would leave the cores idle. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const named = (names) => names.flatMap((name) => tests.filter(({ path }) => path.endsWith(name)));
    const wait = named(WAIT);
    const longest = named(LONGEST);
    const rest = super.sort(tests.filter((test) => ![...wait, ...longest].includes(test)));
    const spread = [...longest, ...rest].flatMap((test, i) => [test, ...(i % 2 ? wait.splice(0, 1) : [])]);
    return [...spread, ...wait];
  }
}
