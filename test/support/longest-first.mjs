import Sequencer from '@jest/test-sequencer';

/** On a first run Jest has no durations of its own to go by: of these, one that comes last keeps a worker waiting. */
const LONGEST = [
  'test/start.e2e-spec.ts',
  'embedded-postgres/embedded-postgres.spec.ts',
  'src/database/pipeline/fast-path.spec.ts',
  'test/command-line.e2e-spec.ts',
  'test/ordinary-nest.e2e-spec.ts',
  'test/promises/contract.e2e-spec.ts',
  'test/promises/code-samples.e2e-spec.ts',
  'test/promises/clients.e2e-spec.ts',
  'test/promises/lost-redis.e2e-spec.ts',
  'test/webhooks.e2e-spec.ts',
  'test/promises/tracing.e2e-spec.ts',
  'test/promises/key-changes.e2e-spec.ts',
  'test/migrate.e2e-spec.ts',
  'test/promises/documents.e2e-spec.ts',
  'test/promises/idempotency.e2e-spec.ts',
  'src/rate-limit/redis/redis-throttler.storage.spec.ts',
  'test/promises/health.e2e-spec.ts',
  'test/doctor.e2e-spec.ts',
  'src/database/pool/circuit-breaker.pool.spec.ts',
  'src/database/pipeline/statement-batches.spec.ts',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rest = super.sort([...tests]);
    const first = LONGEST.flatMap((name) => rest.filter(({ path }) => path.endsWith(name)));
    return [...first, ...rest.filter((test) => !first.includes(test))];
  }
}
