import { checkIfMatch, PreconditionFailed } from './if-match.js';

describe('checkIfMatch', () => {
  it.each([undefined, '*', ' * ', '"7"', '"6", "7"', '"a,b","7"'])('takes %s for version 7', (ifMatch) => {
    expect(() => {
      checkIfMatch(ifMatch, '"7"');
    }).not.toThrow();
  });

  it.each(['', '7', '"6"', 'W/"7"', '"6, 7"', '"77"'])('refuses %s for version 7', (ifMatch) => {
    expect(() => {
      checkIfMatch(ifMatch, '"7"');
    }).toThrow(PreconditionFailed);
  });

  it('refuses a weak current version, which may be another one', () => {
    expect(() => {
      checkIfMatch('W/"7"', 'W/"7"');
    }).toThrow(PreconditionFailed);
  });
});
