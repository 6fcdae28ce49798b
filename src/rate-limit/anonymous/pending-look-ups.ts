interface Address {
  users: number;
  running: number;
  /** Requests get their turn one after the other. */
  queue: Promise<void>;
  wake?: () => void;
}

/**
 * The look-ups of keys that are running, by address. An address has no more of them at a time than it has requests
 * left. Further ones wait: a look-up that finds a valid key is not charged to the address.
 */
export class PendingLookUps {
  private readonly addresses = new Map<string, Address>();

  /**
   * Runs a look-up when its address has room for it.
   * @param left tells how many requests the address has left, at least 1; it throws when there are none
   * @param lookUp charges the address before it ends, where that is due
   */
  async run(
    address: string,
    left: () => number | Promise<number>,
    lookUp: () => Promise<void>,
  ): Promise<void> {
    const own = this.find(address);
    own.users += 1;
    try {
      const turn = own.queue.then(() => waitForRoom(own, left));
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

async function waitForRoom(own: Address, left: () => number | Promise<number>): Promise<void> {
  for (;;) {
    const { running } = own; // before `left`: what ends meanwhile may have been charged after it was read
    if (running < (await left())) break;
    if (own.running === running) await new Promise<void>((wake) => (own.wake = wake));
  }
  own.running += 1;
}
