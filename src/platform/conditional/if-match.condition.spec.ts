import { versionOf } from './etag.js';
import { ifMatchCondition, PreconditionFailed } from './if-match.condition.js';

const CURRENT = { id: 7 };
const VERSION = versionOf(CURRENT);

describe('ifMatchCondition', () => {
  it.each([undefined, '*', ' * ', VERSION, `"6", ${VERSION}`, `"a,b",${VERSION}`])(
    'accepts %s',
    (ifMatch) => {
      expect(() => {
        ifMatchCondition(ifMatch).check(CURRENT);
      }).not.toThrow();
    },
  );

  it.each(['', '7', '"6"', `W/${VERSION}`, VERSION.slice(1, -1), `"6, ${VERSION.slice(1)}`])(
    'rejects %s',
    (ifMatch) => {
      expect(() => {
        ifMatchCondition(ifMatch).check(CURRENT);
      }).toThrow(PreconditionFailed);
    },
  );

  it('rejects a weak current version, even if it is equal', () => {
    expect(() => {
      ifMatchCondition('W/"7"').check('W/"7"');
    }).toThrow(PreconditionFailed);
  });
});
