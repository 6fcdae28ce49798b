import fc from 'fast-check';
import { describeSecret, hashSecret, isSecret, makeSecret } from './secret.js';
import { PREFIX, SECRET } from '../../../../test/support/prefix.js';

const BASE62 = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const secrets = fc.constant(null).map(makeSecret);

describe('a secret', () => {
  it('is the prefix of the service, _ and 49 base62 digits', () => {
    expect(makeSecret()).toMatch(new RegExp(`^${SECRET}$`));
  });

  it('is unique', () => {
    expect(new Set(Array.from({ length: 1_000 }, makeSecret)).size).toBe(1_000);
  });

  it('is recognised', () => {
    fc.assert(fc.property(secrets, isSecret));
  });

  it('is hashed with SHA-256', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is described by its prefix, the next 4 and its last 4 characters', () => {
    const secret = makeSecret();
    expect(describeSecret(secret)).toEqual({
      prefix: secret.slice(0, PREFIX.length + 5),
      lastFour: secret.slice(-4),
    });
  });
});

describe('isSecret', () => {
  it('rejects a secret with one changed digit', () => {
    const index = fc.integer({ min: 0, max: PREFIX.length + 49 });
    fc.assert(
      fc.property(secrets, index, fc.constantFrom(...BASE62), (secret, at, digit) => {
        const changed = secret.slice(0, at) + digit + secret.slice(at + 1);
        return changed === secret || !isSecret(changed);
      }),
    );
  });

  it('rejects a secret with two adjacent digits swapped', () => {
    fc.assert(
      fc.property(secrets, fc.integer({ min: PREFIX.length + 1, max: PREFIX.length + 48 }), (secret, at) => {
        const swapped = `${secret.slice(0, at)}${secret[at + 1]}${secret[at]}${secret.slice(at + 2)}`;
        return swapped === secret || !isSecret(swapped);
      }),
    );
  });

  it.each([
    '',
    `${PREFIX}_`,
    `${makeSecret()}\n`,
    ` ${makeSecret()}`,
    `${makeSecret()}0`,
    makeSecret().slice(1),
  ])('rejects %j', (token) => {
    expect(isSecret(token)).toBe(false);
  });
});
