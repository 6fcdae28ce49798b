import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock/clock.js';
import { type Counts, decision } from '../counts.js';
import type { Decision } from '../decision.js';
import type { Subject, SubjectId } from '../quota-engine.js';
import type { Taken } from './redis-link.js';

const MOST = 100_000;

interface Known extends Taken {
  readonly at: number;
  readonly limits: Subject['limits'];
}

/** What Redis last said of each caller. Who was exhausted then is still, until a window ends: that needs no question. */
export class LastKnown {
  private readonly callers = new LRUCache<SubjectId, Known>({ max: MOST });

  constructor(private readonly clock: Clock) {}

  note({ id, limits }: Subject, taken: Taken): void {
    this.callers.set(id, { ...taken, limits, at: this.clock.elapsed() });
  }

  /** The counts as they are by now, if another replica has added none. */
  counts(id: SubjectId): Counts | undefined {
    const known = this.callers.get(id);
    if (!known) return undefined;
    const age = this.clock.elapsed() - known.at;
    return {
      minuteUsed: age < known.minuteLeft ? known.minuteUsed : 0,
      minuteLeft: known.minuteLeft - age,
      minuteEnd: known.minuteEnd,
      dayUsed: age < known.dayLeft ? known.dayUsed : 0,
      dayLeft: known.dayLeft - age,
      dayEnd: known.dayEnd,
    };
  }

  /** The refusal of a caller that is known to be exhausted. A caller whose limits have changed is asked for anew. */
  refusal(subject: Subject): Decision | undefined {
    const known = this.callers.peek(subject.id);
    if (!known || known.admitted || !sameLimits(known.limits, subject.limits)) return undefined;
    const counts = this.counts(subject.id);
    if (!counts) return undefined;
    const { perMinute, perDay = Infinity } = subject.limits;
    return counts.minuteUsed >= perMinute || counts.dayUsed >= perDay
      ? decision(false, subject, counts)
      : undefined;
  }
}

const sameLimits = (a: Subject['limits'], b: Subject['limits']): boolean =>
  a.perMinute === b.perMinute && a.perDay === b.perDay;
