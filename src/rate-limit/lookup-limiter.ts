interface Address {
  users: number;
  running: number;
  /** Requests take turns. */
  queue: Promise<void>;
  wake?: () => void;
}

/**
 * Limits the concurrent look-ups of keys for each address to the requests that it has left. Further ones wait: a look-up
 * that finds a valid key is not charged to the address.
 */
export class LookupLimiter {
  private readonly addresses = new Map<string, Address>();

  /**
   * Runs a look-up when its address has room for it.
   * @param remaining returns the requests that the address has left, at least 1; throws when there are none
   * @param lookUp charges the address before it ends, if the look-up is to be charged
   */
  async run(
    address: string,
    remaining: () => number | Promise<number>,
    lookUp: () => Promise<void>,
  ): Promise<void> {
    const own = this.find(address);
    own.users += 1;
    try {
      const turn = own.queue.then(() => waitForRoom(own, remaining));
      own.queue = turn.catch(() => undefined);
      await turn;
      try {
        await lookUp();
      } finally {
        own.running -= 1;
        own.wake?.();
      }
    } finally {
      own.users -= 1;
      if (own.users === 0) this.addresses.delete(address);
    }
  }

  private find(address: string): Address {
    let own = this.addresses.get(address);
    if (!own) this.addresses.set(address, (own = { users: 0, running: 0, queue: Promise.resolve() }));
    return own;
  }
}

async function waitForRoom(own: Address, remaining: () => number | Promise<number>): Promise<void> {
  for (;;) {
    const { running } = own; // before `remaining`: a look-up that ends later may be charged after the count is read
    if (running < (await remaining())) break;
    if (own.running === running) await new Promise<void>((wake) => (own.wake = wake));
  }
  own.running += 1;
}
