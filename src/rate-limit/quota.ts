import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { KeyHolder } from '../auth/caller.js';
import { Config } from '../kernel/config/config.js';
import { Bans } from './bans/bans.js';
import type { Decision } from './decision.js';
import { network } from './network.js';
import { QuotaEngine, type Subject } from './quota-engine.js';

/** What tells whom a request is counted for. */
type Whose = Pick<Request, 'ip'> & Partial<Pick<Request, 'caller'>>;

/** A decision, and the ban that stands behind it. */
export interface Verdict extends Decision {
  /** Milliseconds until the key's ban ends; 0 when it is not banned. */
  readonly bannedFor: number;
}

/** Ban, minute and day, decided together: a key holder by its key, everyone else by network address. */
@Injectable()
export class Quota {
  /** What `chargeAhead` has charged. */
  private readonly charged = new WeakMap<object, Verdict>();

  constructor(
    private readonly engine: QuotaEngine,
    private readonly bans: Bans,
    private readonly config: Config,
  ) {}

  /** Decides about a request and charges it when it is admitted. */
  take(request: Request): Verdict | Promise<Verdict> {
    const charged = this.charged.get(request);
    if (charged) return charged;
    const holder = holderOf(request);
    const subject = this.subject(request);
    const bannedFor = holder ? this.bans.remaining(holder) : 0;
    if (bannedFor > 0) return chain(this.engine.look(subject), (decision) => refuse(decision, bannedFor));
    return chain(this.engine.take(subject), (decision) => {
      const caused = holder && !decision.admitted ? this.bans.refused(holder, decision) : 0;
      return verdict(decision, caused);
    });
  }

  /** Charges a request before its turn: `take` does not charge it again. */
  async chargeAhead(request: Request): Promise<void> {
    this.charged.set(request, await this.take(request));
  }

  /** How things stand, without charging anything. */
  look(request: Whose): Verdict | Promise<Verdict> {
    const holder = holderOf(request);
    const bannedFor = holder ? this.bans.remaining(holder) : 0;
    return chain(this.engine.look(this.subject(request)), (decision) => verdict(decision, bannedFor));
  }

  private subject(request: Whose): Subject {
    return (
      holderOf(request) ?? { id: network(request.ip), limits: { perMinute: this.config.strangersPerMinute } }
    );
  }
}

const holderOf = ({ caller }: Whose): KeyHolder | undefined => (caller?.kind === 'key' ? caller : undefined);

const verdict = ({ admitted, windows }: Decision, bannedFor: number): Verdict => ({
  admitted,
  windows,
  bannedFor,
});
const refuse = ({ windows }: Decision, bannedFor: number): Verdict => ({
  admitted: false,
  windows,
  bannedFor,
});

/** Goes on at once with what is there at once: in memory mode no request waits for a promise. */
export function chain<T, U>(value: T | Promise<T>, next: (value: T) => U): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
