import { SecretBox, UnknownSecretKey } from './secret-box.js';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const secret = Buffer.from('a secret that signs webhooks');

describe('SecretBox', () => {
  it('stores a secret in plain text if no key is configured', () => {
    const box = new SecretBox([]);
    expect(box.decrypt(box.encrypt(secret))).toEqual(secret);
    expect(box.encrypt(secret).includes(secret)).toBe(true);
  });

  it('encrypts a secret with a key, with a different result each time', () => {
    const box = new SecretBox([first]);
    const stored = box.encrypt(secret);
    expect(stored.includes(secret)).toBe(false);
    expect(stored).not.toEqual(box.encrypt(secret));
    expect(box.decrypt(stored)).toEqual(secret);
  });

  it('decrypts secrets stored with an older key or without one', () => {
    const box = new SecretBox([second, first]);
    expect(box.decrypt(new SecretBox([first]).encrypt(secret))).toEqual(secret);
    expect(box.decrypt(new SecretBox([]).encrypt(secret))).toEqual(secret);
  });

  it('rejects a secret that was encrypted with an unknown key or has been changed', () => {
    const stored = new SecretBox([first]).encrypt(secret);
    expect(() => new SecretBox([second]).decrypt(stored)).toThrow(UnknownSecretKey);
    expect(() => new SecretBox([]).decrypt(stored)).toThrow(UnknownSecretKey);
    stored[stored.length - 1] = (stored.at(-1) ?? 0) ^ 1;
    expect(() => new SecretBox([first]).decrypt(stored)).toThrow(UnknownSecretKey);
  });
});
