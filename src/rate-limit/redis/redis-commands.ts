import type { WindowCounts } from '../window-counts.js';
import type { Statement } from './window-usage.js';

/** Times in Unix milliseconds, of the server's clock. */
export type Reply = [
  /** How many of the requests; 1 also where none is charged and one would be. */
  admitted: number,
  minuteUsed: number,
  minuteEnd: number,
  dayUsed: number,
  dayEnd: number,
  now: number,
  minuteOwn?: number,
  dayOwn?: number,
];

/** What the scripts are called by. */
export interface Commands {
  petstoreConsume(
    key: string,
    period: number,
    replica: string,
    perMinute: number,
    perDay: number,
    charge: Charge,
  ): Promise<Reply>;
  petstoreConsumeAll(count: number, ...keysAndArguments: (string | number)[]): Promise<Reply[]>;
  petstoreState(
    key: string,
    period: number,
    replica: string,
    perMinute: number,
    perDay: number,
    charge: Charge,
    minuteEnd: number,
    minuteOwn: number,
    dayEnd: number,
    dayOwn: number,
    version: number,
  ): Promise<Reply>;
  petstoreConsumeCapped(
    young: string,
    old: string,
    field: string,
    period: number,
    limit: number,
    charge: Charge,
    half: number,
  ): Promise<Reply>;
  petstoreAnnounce(
    replicas: string,
    replica: string,
    ttl: number,
    generation: string,
    newLife: string,
  ): Promise<[count: number, generation: string, now: number]>;
}

/** 1 charges a request, 0 does not. */
export type Charge = 1 | 0;

/** What Redis says. */
export interface Consumed extends WindowCounts {
  readonly admitted: boolean;
  /** What this replica has admitted of each window, as far as Redis knows. */
  readonly minuteOwn: number;
  readonly dayOwn: number;
  /** Redis's clock. */
  readonly now: number;
}

/** What a replica has admitted of a client. */
export interface Statements {
  readonly minute: Statement;
  readonly day: Statement;
  /** Above 0, a statement is the whole truth, unless Redis has had a later one. */
  readonly version: number;
}

export function consumed([
  admitted,
  minuteUsed,
  minuteEnd,
  dayUsed,
  dayEnd,
  now,
  minuteOwn = 0,
  dayOwn = 0,
]: Reply): Consumed {
  return {
    admitted: admitted === 1,
    minuteUsed,
    minuteLeft: minuteEnd - now,
    minuteEnd,
    dayUsed,
    dayLeft: dayEnd - now,
    dayEnd,
    minuteOwn,
    dayOwn,
    now,
  };
}
