import { ValidationFailed } from '../errors/common.errors.js';
import { versionOf } from './etag.js';
import { ifMatchCondition, PreconditionFailed } from './if-match.condition.js';

const CURRENT = { id: 7 };
const VERSION = versionOf(CURRENT);

const check = (ifMatch: string | undefined) => () => {
  ifMatchCondition(ifMatch).check(CURRENT);
};

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

  it.each(['', ' ', ',', '7', VERSION.slice(1, -1), `"6, ${VERSION.slice(1)}`, `"6" 7`, '*, "6"', 'w/"6"'])(
    'does not take %j for a list of tags',
    (ifMatch) => {
      expect(check(ifMatch)).toThrow(ValidationFailed);
    },
  );

  it('rejects a weak current version, even if it is equal', () => {
    expect(() => {
      ifMatchCondition('W/"7"').check('W/"7"');
    }).toThrow(PreconditionFailed);
  });
});
