import Sequencer from '@jest/test-sequencer';

/** These mostly wait, for timeouts, locks, programs and recovery after a kill. Those that take longest come first. */
const WAIT = [
  'test/shop/clients.e2e-spec.ts',
  'test/behaviour/health.e2e-spec.ts',
  'test/behaviour/migrations.e2e-spec.ts',
  'src/platform/embedded-postgres/embedded-accounts.spec.ts',
  'src/platform/embedded-postgres/embedded-postgres.spec.ts',
  'test/behaviour/doctor.e2e-spec.ts',
  'src/platform/rate-limit/redis/redis-throttler.storage.spec.ts',
  'test/behaviour/migrate.e2e-spec.ts',
  'test/resilience/lost-transactions.e2e-spec.ts',
  'test/behaviour/bans.e2e-spec.ts',
  'test/behaviour/database-rights.e2e-spec.ts',
  'test/behaviour/transport.e2e-spec.ts',
  'test/behaviour/idle.e2e-spec.ts',
  'src/platform/rate-limit/redis/sentinels.spec.ts',
  'src/platform/database/pool/service-pool.spec.ts',
  'src/platform/webhooks/delivery/webhook-sender.spec.ts',
];

/** On a first run, Jest has no durations yet. If one of these came last, it would keep a single worker busy. */
const LONGEST = [
  'test/behaviour/start.e2e-spec.ts',
  'test/repository/nest-module.e2e-spec.ts',
  'test/behaviour/command-line.e2e-spec.ts',
  'test/behaviour/contract.e2e-spec.ts',
  'test/behaviour/webhooks.e2e-spec.ts',
  'test/behaviour/event-feed.e2e-spec.ts',
  'test/behaviour/webhooks-commands.e2e-spec.ts',
  'test/repository/documents.e2e-spec.ts',
  'test/behaviour/webhooks.slow-spec.ts',
  'test/scripts/dev.slow-spec.ts',
  'test/behaviour/start.slow-spec.ts',
  'test/resilience/flapping-redis.slow-spec.ts',
  'test/deploy/image.slow-spec.ts',
  'test/resilience/idempotency-processes.slow-spec.ts',
  'test/deploy/backup.slow-spec.ts',
  'test/shop/client-packages.slow-spec.ts',
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
