import type { Int64 } from '../kernel/json/int64.js';
import { StartupError } from '../kernel/errors/common.errors.js';

export class KeyIsRevoked extends StartupError {
  constructor(id: Int64) {
    super(`Key ${id} is revoked, for good. petstore keys create makes a new one.`);
  }
}

export class KeyHasExpired extends StartupError {
  constructor(id: Int64, expiresAt: Date) {
    super(
      `Key ${id} expired at ${expiresAt.toISOString()}. petstore keys update ${id} --expires <when> gives it a new end.`,
    );
  }
}
