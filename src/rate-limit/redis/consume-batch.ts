import { atEndOfTurn } from './end-of-turn.js';
import type { Charge, Reply } from './redis-commands.js';

/** Requests of one client, decided together. */
export interface Consumption {
  readonly key: string;
  readonly period: number;
  readonly replica: string;
  readonly perMinute: number;
  readonly perDay: number;
  /** How many requests to charge; 0 charges none. */
  readonly charge: number;
}

interface Waiter {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests of one client that wait, in their order. */
class Waiting {
  readonly waiters: Waiter[] = [];

  constructor(readonly consumption: Consumption) {}

  /** Requests that are charged can be decided together, if the client's limits are the same. */
  takes({ charge, replica, period, perMinute, perDay }: Consumption): boolean {
    const { consumption } = this;
    return (
      charge === 1 &&
      consumption.charge === 1 &&
      consumption.replica === replica &&
      consumption.period === period &&
      consumption.perMinute === perMinute &&
      consumption.perDay === perDay
    );
  }
}

/**
 * Sends the decisions of one turn of the event loop together, and those about one client as one. They wait for nothing:
 * they leave at the end of the turn. What that saves: docs/performance.md, "With Redis".
 */
export class ConsumeBatch {
  private all: Waiting[] = [];
  private byKey = new Map<string, Waiting>();

  /** @param maxKeys of one command */
  constructor(
    private readonly maxKeys: number,
    private readonly send: (batch: readonly Consumption[]) => Promise<readonly Reply[]>,
  ) {}

  add(consumption: Consumption & { readonly charge: Charge }): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.all.length === 0) atEndOfTurn(this.flush);
      let waiting = this.byKey.get(consumption.key);
      if (!waiting?.takes(consumption)) {
        waiting = new Waiting(consumption);
        this.all.push(waiting);
        this.byKey.set(consumption.key, waiting);
      }
      waiting.waiters.push({ resolve, reject });
    });
  }

  /** Rejects what was not sent yet. */
  abandon(error: Error): void {
    for (const { waiters } of this.take()) for (const { reject } of waiters) reject(error);
  }

  private readonly flush = (): void => {
    const all = this.take();
    for (let i = 0; i < all.length; i += this.maxKeys) void this.sendTogether(all.slice(i, i + this.maxKeys));
  };

  private take(): Waiting[] {
    const { all } = this;
    this.all = [];
    this.byKey = new Map();
    return all;
  }

  private async sendTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const consumptions = batch.map(({ consumption, waiters }) => ({
        ...consumption,
        charge: consumption.charge * waiters.length,
      }));
      const replies = await this.send(consumptions);
      for (const [i, reply] of replies.entries()) settle(batch[i]?.waiters ?? [], reply);
    } catch (error) {
      for (const { waiters } of batch) for (const { reject } of waiters) reject(error);
    }
  }
}

/** Each request gets the counts as they were after it: the first ones are admitted, the others change nothing. */
function settle(waiters: readonly Waiter[], reply: Reply): void {
  const [admitted, minuteUsed, minuteEnd, dayUsed, dayEnd, now, minuteOwn = 0, dayOwn = 0] = reply;
  if (waiters.length === 1) {
    waiters[0]?.resolve(reply);
    return;
  }
  for (const [i, { resolve }] of waiters.entries()) {
    const later = Math.max(admitted - i - 1, 0); // admitted after this one
    const isAdmitted = i < admitted ? 1 : 0;
    resolve([
      isAdmitted,
      minuteUsed - later,
      minuteEnd,
      dayUsed - later,
      dayEnd,
      now,
      minuteOwn - later,
      dayOwn - later,
    ]);
  }
}
