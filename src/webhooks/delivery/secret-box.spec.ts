import { SecretBox, UnknownSecretKey } from './secret-box.js';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const secret = Buffer.from('a secret that signs webhooks');

describe('SecretBox', () => {
  it('keeps a secret as it is without a key', () => {
    const box = new SecretBox([]);
    expect(box.decrypt(box.encrypt(secret))).toEqual(secret);
    expect(box.encrypt(secret).includes(secret)).toBe(true);
  });

  it('encrypts it with a key, differently each time', () => {
    const box = new SecretBox([first]);
    const stored = box.encrypt(secret);
    expect(stored.includes(secret)).toBe(false);
    expect(stored).not.toEqual(box.encrypt(secret));
    expect(box.decrypt(stored)).toEqual(secret);
  });

  it('opens what was stored with an older key, and what was stored without one', () => {
    const box = new SecretBox([second, first]);
    expect(box.decrypt(new SecretBox([first]).encrypt(secret))).toEqual(secret);
    expect(box.decrypt(new SecretBox([]).encrypt(secret))).toEqual(secret);
  });

  it('does not open what was encrypted with an unknown key, or has been changed', () => {
    const stored = new SecretBox([first]).encrypt(secret);
    expect(() => new SecretBox([second]).decrypt(stored)).toThrow(UnknownSecretKey);
    expect(() => new SecretBox([]).decrypt(stored)).toThrow(UnknownSecretKey);
    stored[stored.length - 1] = (stored.at(-1) ?? 0) ^ 1;
    expect(() => new SecretBox([first]).decrypt(stored)).toThrow(UnknownSecretKey);
  });
});
