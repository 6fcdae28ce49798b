import { readText } from '../support/repository.js';

/** The names that a platform file exports, types included. */
const exportsOf = (file: string): string[] =>
  [...readText(file).matchAll(/^export (?:type )?\{([^}]+)\}/gm)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '') // after the last comma
    .sort();

const NEXT = 'A name that goes or comes has its line in the section "Platform" of CHANGELOG.md';

describe('The platform API', () => {
  it(`src/platform/index.ts exports what modules import. ${NEXT}`, () => {
    expect(exportsOf('src/platform/index.ts')).toEqual(
      `ApiErrors ApiKeyPrincipal AtLeastOneProperty Changed Changes Clock Config Created CurrentPrincipal Deprecated DomainError ErrorFilter
      ErrorHelp ErrorMappers EventType EventsModule HealthModule HideTryIt Id Idempotent IfMatch IfMatchCondition Int64 Int64Field
      Int64List Int64Parameter Int64Property IntegerParameter Metrics OptionalNotNull OptionalTimeProperty Page PageQuery PageRequest
      Paged PeriodicTasks Plan Public Readiness RequireScope SampleData Samples Stability Tag Text TimeProperty UnitOfWork Updated Variables days eventType findById hours keysetPage
      minutes parseInt64 seconds violatedConstraint withStatementTimeout`.split(/\s+/),
    );
  });

  it(`test/platform.ts exports what their tests import. ${NEXT}`, () => {
    expect(exportsOf('test/platform.ts')).toEqual(
      'Petstore TestClock eventually recordedEvents rememberKey'.split(' '),
    );
  });

  it('has its section in CHANGELOG.md', () => {
    expect(readText('CHANGELOG.md')).toContain('\n### Platform\n');
  });
});
