import type { Query } from '../operations.js';
import type { ReadOptions, RequestOptions, Transport } from '../transport.js';
import type { ApiKey, DayUsage, RotatedKey, Rotation } from '../types.js';

export type UsageQuery = Query<'getUsage'>;

/** The key that the client sends. */
export class OwnKey {
  constructor(private readonly transport: Transport) {}

  /** Plan, scopes, expiry and last use, never the secret. */
  get(options?: ReadOptions): Promise<ApiKey> {
    return this.transport.call('getKey', {}, options);
  }

  /**
   * A new secret, shown this once. It is not tried again by itself: where the response is lost, call it again while the
   * old secret works. This client goes on with the old one.
   * @throws PermissionError without the scope `key:rotate`
   */
  rotate(rotation: Rotation = {}, options?: RequestOptions): Promise<RotatedKey> {
    return this.transport.call('rotateKey', { body: rotation }, options);
  }

  /** The requests of each UTC day, newest first. */
  usage(query: UsageQuery = {}, options?: ReadOptions): Promise<DayUsage[]> {
    return this.transport.call('getUsage', { query }, options);
  }
}
