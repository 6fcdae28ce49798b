import type { Query } from '../operations.js';
import type { ReadOptions, RequestOptions, Result, Transport } from '../transport.js';
import type { ApiKey, DayUsage, RotatedKey, Rotation } from '../types.js';

export type UsageQuery<Id = bigint> = Query<'getUsage', Id>;

/** The key that the client sends. */
export class Key<Id = bigint> {
  constructor(private readonly transport: Transport<Id>) {}

  /** Plan, scopes, expiry and last use, never the secret. */
  get(options?: ReadOptions): Promise<Result<ApiKey<Id>>> {
    return this.transport.call('getKey', {}, options);
  }

  /**
   * A new secret, shown only once. It is not retried automatically: if the response is lost, call it again while the
   * old secret works. This client keeps using the old one.
   * @throws PermissionError without the scope `key:rotate`
   */
  rotate(rotation: Rotation<Id> = {}, options?: RequestOptions): Promise<Result<RotatedKey<Id>>> {
    return this.transport.call('rotateKey', { body: rotation }, options);
  }

  /** The requests of each UTC day, newest first. */
  usage(query: UsageQuery<Id> = {}, options?: ReadOptions): Promise<Result<DayUsage<Id>[]>> {
    return this.transport.call('getUsage', { query }, options);
  }
}
