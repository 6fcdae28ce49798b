import { Injectable } from '@nestjs/common';
import { seconds } from './duration.js';

/** How long a request waits for what it needs, in milliseconds. */
@Injectable()
export class TimeLimits {
  /** For a connection to PostgreSQL. */
  readonly connection: number = seconds(3);
  /** For PostgreSQL's response to a query. */
  readonly query: number = seconds(5);
  /** For the look-up of its key, and for those of its address that are before it. */
  readonly keyLookUp: number = seconds(1);
  /** For a slot of its client, and for one of the connections of requests with an `Idempotency-Key`. */
  readonly slot: number = seconds(10);
}
