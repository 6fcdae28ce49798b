interface Address {
  users: number;
  running: number;
  /** Serialises waiting requests. */
  queue: Promise<void>;
  wake?: () => void;
}

/**
 * Limits concurrent key look-ups of each address to the requests it has left. Further look-ups wait, because those that
 * find a valid key are not charged to the address.
 */
export class LookupLimiter {
  private readonly addresses = new Map<string, Address>();

  /**
   * Runs a look-up once the address has capacity.
   * @param remaining returns how many requests the address has left, at least 1; throws if there are none
   * @param lookUp must charge the address before it resolves, if it charges it at all
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
    const { running } = own; // read before `remaining`, because a look-up that ends in between may be charged after that count
    if (running < (await remaining())) break;
    if (own.running === running) await new Promise<void>((wake) => (own.wake = wake));
  }
  own.running += 1;
}
