import Sequencer from '@jest/test-sequencer';

/** These mostly wait, for timeouts, locks, programs and recovery after a kill. Those that take longest come first. */
const WAIT = [
  'test/clients/clients.e2e-spec.ts',
  'test/platform/observe/health.e2e-spec.ts',
  'test/platform/data/migrations.e2e-spec.ts',
  'src/platform/data/embedded-postgres/embedded-accounts.spec.ts',
  'src/platform/data/embedded-postgres/embedded-postgres.spec.ts',
  'test/platform/program/doctor.e2e-spec.ts',
  'src/platform/access/rate-limit/redis/redis-throttler.storage.spec.ts',
  'test/platform/data/migrate.e2e-spec.ts',
  'test/resilience/lost-transactions.e2e-spec.ts',
  'test/platform/access/bans.e2e-spec.ts',
  'test/platform/data/database-rights.e2e-spec.ts',
  'test/platform/http/transport.e2e-spec.ts',
  'test/platform/observe/idle.e2e-spec.ts',
  'src/platform/access/rate-limit/redis/sentinels.spec.ts',
  'src/platform/data/database/pool/service-pool.spec.ts',
  'src/platform/feed/webhooks/delivery/webhook-sender.spec.ts',
];

/** On a first run, Jest has no durations yet. If one of these came last, it would keep a single worker busy. */
const LONGEST = [
  'test/platform/program/start.e2e-spec.ts',
  'test/repository/nest-module.e2e-spec.ts',
  'test/platform/program/command-line.e2e-spec.ts',
  'test/platform/program/contract.e2e-spec.ts',
  'test/platform/feed/webhooks.e2e-spec.ts',
  'test/platform/feed/event-feed.e2e-spec.ts',
  'test/platform/feed/webhooks-commands.e2e-spec.ts',
  'test/repository/documents.e2e-spec.ts',
  'test/platform/feed/webhooks.slow-spec.ts',
  'test/scripts/dev.slow-spec.ts',
  'test/platform/program/start.slow-spec.ts',
  'test/resilience/flapping-redis.slow-spec.ts',
  'test/deploy/image.slow-spec.ts',
  'test/resilience/idempotency-processes.slow-spec.ts',
  'test/deploy/backup.slow-spec.ts',
  'test/clients/client-packages.slow-spec.ts',
  'test/resilience/durable-days.slow-spec.ts',
  'test/resilience/database-failover.slow-spec.ts',
];

/** While one suite waits, the other workers take about so many of the longest, or of the others. */
const LONG_ONES = 5;
const OTHERS = 6;

/** Distributes suites that wait among those that compute. Running side by side, they would leave the cores idle. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const named = (names) => names.flatMap((name) => tests.filter(({ path }) => path.endsWith(name)));
    const wait = named(WAIT);
    const longest = named(LONGEST);
    const rest = super.sort(tests.filter((test) => ![...wait, ...longest].includes(test)));
    const spread = (computing, every) =>
      computing.flatMap((test, i) => [...(i % every === 0 ? wait.splice(0, 1) : []), test]);
    return [...spread(longest, LONG_ONES), ...spread(rest, OTHERS), ...wait];
  }
}
