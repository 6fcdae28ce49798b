import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../errors/domain-error.js';

export class InvalidCursor extends DomainError {
  constructor() {
    super(
      'invalid',
      'invalid_cursor',
      'The cursor was not made by this list with this filter. Start again without one.',
    );
  }
}

const ID_BYTES = 8;
const SCOPE_BYTES = 8;

/** A cursor: the last id seen (8 bytes) and a fingerprint of the list and filter it belongs to, in base64url. */
export function encodeCursor(after: number | bigint, scope: string): string {
  const bytes = Buffer.alloc(ID_BYTES + SCOPE_BYTES);
  bytes.writeBigInt64BE(BigInt(after));
  fingerprint(scope).copy(bytes, ID_BYTES);
  return bytes.toString('base64url');
}

/** @throws InvalidCursor for anything `encodeCursor` did not make for the same scope. */
export function decodeCursor(cursor: string, scope: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor || bytes.length !== ID_BYTES + SCOPE_BYTES)
    throw new InvalidCursor();
  if (!bytes.subarray(ID_BYTES).equals(fingerprint(scope))) throw new InvalidCursor();
  return bytes.readBigInt64BE();
}

const fingerprints = new LRUCache<string, Buffer>({ max: 1_000 });

function fingerprint(scope: string): Buffer {
  let bytes = fingerprints.get(scope);
  if (!bytes) fingerprints.set(scope, (bytes = hash('sha256', scope, 'buffer').subarray(0, SCOPE_BYTES)));
  return bytes;
}
