import { seconds } from '../../kernel/clock/duration.js';
import { DeliveryStore, type Outcome } from './delivery-store.js';

const MAX = 100;
const WAIT = seconds(0.2);

/** Writes outcomes in batches: a statement for many deliveries costs little more than a statement for one. */
export class OutcomeWriter {
  /** Deliveries that are being sent or written. */
  readonly taken = new Set<string>();
  private outcomes: Outcome[] = [];
  private writing: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;
  private failure?: unknown;

  constructor(private readonly store: DeliveryStore) {}

  add(outcome: Outcome): void {
    this.outcomes.push(outcome);
    if (this.outcomes.length >= MAX) this.write();
    else
      this.timer ??= setTimeout(() => {
        this.write();
      }, WAIT);
  }

  /** Resolves when everything is written. @throws the error of a statement */
  async finish(): Promise<void> {
    this.write();
    await this.writing;
    if (this.failure !== undefined) throw this.failure as Error;
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { outcomes } = this;
    if (outcomes.length === 0) return;
    this.outcomes = [];
    this.writing = this.writing
      .then(() => this.store.write(outcomes))
      .then(
        () => {
          for (const { id } of outcomes) this.taken.delete(id);
        },
        (error: unknown) => {
          this.failure ??= error; // they stay pending, and are sent again
        },
      );
  }
}
