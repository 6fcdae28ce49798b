import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { versionOf } from './response-headers.js';
import { ifMatchCondition, PreconditionFailed } from './if-match.js';

const CURRENT = { id: 7 };
const VERSION = versionOf(CURRENT);

const check = (ifMatch: string | undefined, ifNoneMatch?: string) => () => {
  ifMatchCondition({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch }).check(CURRENT);
};

const EXCLUDED = 'The resource has a version that If-None-Match excludes';

describe('ifMatchCondition', () => {
  it.each([undefined, '*', ' * ', VERSION, `"6", ${VERSION}`, `"a,b",${VERSION}`])(
    'accepts %s',
    (ifMatch) => {
      expect(check(ifMatch)).not.toThrow();
    },
  );

  it.each(['"6"', `"${VERSION.slice(1, 5)}"`])('says that the resource has changed for %s', (ifMatch) => {
    expect(check(ifMatch)).toThrow('The resource has changed since you read it.');
  });

  it.each([`W/${VERSION}`, 'W/"6"', `"6", W/${VERSION}`, `${VERSION.slice(0, -1)}-gzip"`])(
    'says that a proxy has altered %s',
    (ifMatch) => {
      expect(check(ifMatch)).toThrow(PreconditionFailed);
      expect(check(ifMatch)).toThrow(/weak \(W\/\) or has a suffix, .* proxy .* compresses/);
    },
  );

  it('accepts the version beside a weak tag', () => {
    expect(check(`W/"6", ${VERSION}`)).not.toThrow();
  });

  it.each([', "6" ,, ,' + VERSION, `"",${VERSION}\t,`, `W/"6",${VERSION} `])(
    'accepts empty elements and white space in %j',
    (ifMatch) => {
      expect(check(ifMatch)).not.toThrow();
    },
  );

  it.each(['*', VERSION, `W/${VERSION}`, `"6", W/${VERSION}`])(
    'refuses a version that If-None-Match excludes: %s',
    (ifNoneMatch) => {
      for (const ifMatch of [undefined, '*', VERSION])
        expect(check(ifMatch, ifNoneMatch)).toThrow(
          new PreconditionFailed(`${EXCLUDED}, so it was not changed.`),
        );
    },
  );

  it.each(['"6"', 'W/"6", "7"', `${VERSION.slice(0, -1)}-gzip"`])(
    'accepts a version beside %s in If-None-Match',
    (ifNoneMatch) => {
      for (const ifMatch of [undefined, '*', VERSION]) expect(check(ifMatch, ifNoneMatch)).not.toThrow();
    },
  );

  it('judges If-Match first', () => {
    expect(check('"6"', '*')).toThrow('The resource has changed since you read it.');
  });

  it.each(['', '"6" "7"', '7', '*, "6"', `"6, ${VERSION.slice(1)}`])(
    'does not take %j in If-None-Match for a list of tags',
    (ifNoneMatch) => {
      expect(check(undefined, ifNoneMatch)).toThrow(ValidationFailed);
    },
  );

  it.each([',', ' ', '"",', '"', '"" ', 'W/'])('reads 60,000 characters of %j in linear time', (part) => {
    const started = process.cpuUsage();
    expect(() => ifMatchCondition({ 'if-match': `${part.repeat(60_000 / part.length)}x` })).toThrow(
      ValidationFailed,
    );
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });

  it.each([
    '"6" "7"',
    `${VERSION} "6"`,
    `"6"${VERSION}`,
    '',
    ' ',
    ',',
    '7',
    VERSION.slice(1, -1),
    `"6, ${VERSION.slice(1)}`,
    `"6" 7`,
    '*, "6"',
    'w/"6"',
  ])('does not take %j for a list of tags', (ifMatch) => {
    expect(check(ifMatch)).toThrow(ValidationFailed);
  });

  it('does not ignore a list that is too long', () => {
    const long = Array.from({ length: 200 }, (_, i) => `"${String(i).padStart(22, '0')}"`).join();
    for (const condition of [check(long), check(undefined, long)])
      expect(condition).toThrow(ValidationFailed);
  });

  it('rejects a weak current version, even if it is equal', () => {
    expect(() => {
      ifMatchCondition({ 'if-match': 'W/"7"' }).check('W/"7"');
    }).toThrow(PreconditionFailed);
  });
});
