const START = 8;
const MAX = 64;

/**
 * How many requests an endpoint gets at a time. It grows with every success and is halved by every failure, as TCP does it:
 * an endpoint that does not respond holds one connection and does not slow the others.
 */
export class SendWindow {
  private size: number;

  /** @param isFailing whether its last attempts have failed */
  constructor(isFailing: boolean) {
    this.size = isFailing ? 1 : START;
  }

  get limit(): number {
    return this.size;
  }

  succeeded(): void {
    this.size = Math.min(MAX, this.size + 1);
  }

  failed(): void {
    this.size = Math.max(1, Math.floor(this.size / 2));
  }
}
