import { minutes } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { Decision } from './decision.js';

export const MINUTE = minutes(1);

/** The id of a key, or the network address of a caller without a valid one. */
export type SubjectId = Int64 | string;

/** Somebody whose requests are counted. A holder of a key is one. */
export interface Subject {
  readonly id: SubjectId;
  readonly limits: {
    readonly perMinute: number;
    /** Absent: no day is counted. */
    readonly perDay?: number;
  };
  /** Length of the short window in milliseconds, where it is not a minute. */
  readonly period?: number;
}

/** Where requests are counted. */
export abstract class QuotaEngine {
  /** Decides about one request in one atomic step: both windows are charged or, when one is exhausted, neither. */
  abstract take(subject: Subject): Decision | Promise<Decision>;

  /** How things stand, without charging anything. */
  abstract look(subject: Subject): Decision | Promise<Decision>;
}
