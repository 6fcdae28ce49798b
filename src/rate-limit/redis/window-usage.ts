/** What a command tells Redis of a window: when it ends, and how much of it this replica has admitted so far. */
export interface Statement {
  /** Unix milliseconds of Redis's clock; 0: the window is not running. */
  readonly end: number;
  readonly own: number;
  /** How much of `own` was admitted without Redis. */
  readonly local: number;
}

/** What Redis says of a window. */
interface WindowReply {
  readonly used: number;
  /** How much of `used` this replica has admitted. */
  readonly own: number;
  /** Unix milliseconds. */
  readonly end: number;
  readonly now: number;
}

export const NOTHING: Statement = { end: 0, own: 0, local: 0 };

/** What this replica knows of one window of one client. */
export class WindowUsage {
  /** When it ends, on Redis's clock: Unix milliseconds. */
  end = 0;
  /** When it ends, on the monotonic clock. */
  private endsAt = 0;
  /** What all replicas have used, as Redis last said. */
  used = 0;
  /** What this replica has admitted. */
  own = 0;
  /** How much of `own` was admitted without Redis, and how much of that Redis knows. */
  private local = 0;
  private reported = 0;

  isRunning(elapsed: number): boolean {
    return elapsed < this.endsAt;
  }

  /** Milliseconds until it ends. */
  left(elapsed: number): number {
    return this.endsAt - elapsed;
  }

  get isUnused(): boolean {
    return this.used === 0 && this.own === 0;
  }

  /** Admitted without Redis, which does not know of it yet. */
  get pending(): number {
    return this.local - this.reported;
  }

  statement(elapsed: number): Statement {
    return this.isRunning(elapsed) ? { end: this.end, own: this.own, local: this.local } : NOTHING;
  }

  /** Begins a window that Redis does not know of yet. */
  begin(end: number, endsAt: number): void {
    this.end = end;
    this.endsAt = endsAt;
    this.used = this.own = this.local = this.reported = 0;
  }

  admitLocally(): void {
    this.own += 1;
    this.local += 1;
  }

  /**
   * @param sent what the command had told Redis
   * @param isTold whether Redis has counted that in the window of its reply
   */
  learn(sent: Statement, isTold: boolean, { end, now, used, own }: WindowReply, elapsed: number): void {
    if (this.end !== end && !(isTold && this.end === sent.end)) this.begin(end, 0);
    this.end = end;
    this.endsAt = elapsed + end - now;
    this.used = used;
    this.own = Math.max(this.own, own);
    if (isTold) this.reported = Math.min(this.local, Math.max(this.reported, sent.local));
  }
}
