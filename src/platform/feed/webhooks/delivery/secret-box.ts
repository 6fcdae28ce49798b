import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The first byte of a stored secret: plain, or encrypted with AES-256-GCM. */
const PLAIN = 0;
const ENCRYPTED = 1;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secret was encrypted with a key that is not configured. */
export class UnknownSecretKey extends Error {}

/**
 * Encrypts webhook secrets for storage. They cannot be hashed, because signing needs the plain secret. With a
 * configured key, access to the database alone does not reveal them.
 */
export class SecretBox {
  /** @param keys the first one encrypts; all of them decrypt */
  constructor(private readonly keys: readonly Buffer[]) {}

  encrypt(secret: Buffer): Buffer {
    const [key] = this.keys;
    if (!key) return Buffer.concat([Buffer.of(PLAIN), secret]);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce);
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.of(ENCRYPTED), nonce, cipher.getAuthTag(), text]);
  }

  /** @throws UnknownSecretKey */
  decrypt(stored: Buffer): Buffer {
    const secret = this.tryDecrypt(stored);
    if (secret) return secret;
    throw new UnknownSecretKey('WEBHOOK_SECRET_KEYS lacks the key that this secret was encrypted with.');
  }

  canDecrypt(stored: Buffer): boolean {
    return this.tryDecrypt(stored) !== undefined;
  }

  private tryDecrypt(stored: Buffer): Buffer | undefined {
    if (stored[0] === PLAIN) return stored.subarray(1);
    for (const key of this.keys) {
      const secret = decryptWith(stored.subarray(1), key);
      if (secret) return secret;
    }
    return undefined;
  }
}

function decryptWith(stored: Buffer, key: Buffer): Buffer | undefined {
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, stored.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(stored.subarray(NONCE_BYTES, tagEnd));
  try {
    return Buffer.concat([decipher.update(stored.subarray(tagEnd)), decipher.final()]);
  } catch {
    return undefined; // encrypted with another key
  }
}
