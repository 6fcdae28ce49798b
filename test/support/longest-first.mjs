import Sequencer from '@jest/test-sequencer';

/** On a first run Jest has no durations of its own to go by: of these, one that comes last keeps a worker waiting. */
const LONGEST = [
  'test/start.e2e-spec.ts',
  'test/command-line.e2e-spec.ts',
  'test/promises/swagger-ui.e2e-spec.ts',
  'embedded-postgres/embedded-postgres.spec.ts',
  'test/promises/pipelining.e2e-spec.ts',
  'test/promises/clients.e2e-spec.ts',
  'test/promises/tracing.e2e-spec.ts',
  'test/doctor.e2e-spec.ts',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rest = super.sort([...tests]);
    const first = LONGEST.flatMap((name) => rest.filter(({ path }) => path.endsWith(name)));
    return [...first, ...rest.filter((test) => !first.includes(test))];
  }
}
