import type { Decision } from './decision.js';

/** Somebody whose requests are counted. */
export interface Subject {
  /** `key:<id>` for a key, `ip:<address>` for a caller without a valid one. */
  readonly id: string;
  readonly limits: { readonly perMinute: number; readonly perDay?: number };
}

/** Where requests are counted. A second implementation may keep the counts outside this process. */
export abstract class QuotaEngine {
  /** Decides about one request in one atomic step: every window is charged or, when one is exhausted, none. */
  abstract take(subject: Subject): Decision | Promise<Decision>;

  /** How things stand, without charging anything. */
  abstract look(subject: Subject): Decision | Promise<Decision>;
}
