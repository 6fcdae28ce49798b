import { hash } from 'node:crypto';
import { DomainError } from '../errors/domain-error.js';

export class InvalidCursor extends DomainError {
  constructor() {
    super(
      'invalid',
      'invalid_cursor',
      'The cursor does not belong to this list and filter. Start again without one.',
    );
  }
}

const ID_BYTES = 8;
const SCOPE_BYTES = 8;

/** The last id (8 bytes) and a fingerprint of the list and filter, in base64url. */
export function encodeCursor(after: number | bigint, scope: string): string {
  const bytes = Buffer.alloc(ID_BYTES + SCOPE_BYTES);
  bytes.writeBigInt64BE(BigInt(after));
  fingerprint(scope).copy(bytes, ID_BYTES);
  return bytes.toString('base64url');
}

/** @throws InvalidCursor for anything but a cursor of the same scope */
export function decodeCursor(cursor: string, scope: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor || bytes.length !== ID_BYTES + SCOPE_BYTES)
    throw new InvalidCursor();
  if (!bytes.subarray(ID_BYTES).equals(fingerprint(scope))) throw new InvalidCursor();
  return bytes.readBigInt64BE();
}

const fingerprint = (scope: string): Buffer => hash('sha256', scope, 'buffer').subarray(0, SCOPE_BYTES);
