import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { ApiKeyPrincipal } from '../auth/principal.js';
import { Bans } from './bans/bans.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { PlanThrottlerStorage } from './plan-throttler.storage.js';
import type { RateLimitClient, RateLimitResult } from './rate-limit.result.js';

type Identified = Pick<Request, 'ip'> & Partial<Pick<Request, 'principal' | 'chargedAhead'>>;

declare module 'express-serve-static-core' {
  interface Request {
    /** The decision, if `consumeAhead` has already charged the request. */
    chargedAhead?: RateLimitResult;
  }
}

/** Decides ban, minute and day of a plan together, for an API key or else for a network address. */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly storage: PlanThrottlerStorage,
    private readonly bans: Bans,
    private readonly config: RateLimitConfig,
  ) {}

  /** Charges a request if it is admitted. */
  async consume(request: Identified): Promise<RateLimitResult> {
    if (request.chargedAhead) return request.chargedAhead;
    const apiKey = apiKeyOf(request);
    const bannedFor = apiKey ? this.bans.remaining(apiKey) : 0;
    if (bannedFor > 0)
      return { ...(await this.storage.peek(this.clientOf(request), true)), admitted: false, bannedFor };
    const result = await this.storage.consume(this.clientOf(request));
    return apiKey && !result.admitted ? { ...result, bannedFor: this.bans.strike(apiKey, result) } : result;
  }

  /** Charges a request early. A later `consume` does not charge it again. */
  async consumeAhead(request: Identified): Promise<void> {
    request.chargedAhead = await this.consume(request);
  }

  /** Returns the state of the windows and the ban. Charges nothing. */
  async peek(request: Identified): Promise<RateLimitResult> {
    const apiKey = apiKeyOf(request);
    const bannedFor = apiKey ? this.bans.remaining(apiKey) : 0;
    return { ...(await this.storage.peek(this.clientOf(request), bannedFor > 0)), bannedFor };
  }

  private clientOf(request: Identified): RateLimitClient {
    return (
      apiKeyOf(request) ?? { id: network(request.ip), limits: { perMinute: this.config.anonymousPerMinute } }
    );
  }
}

const apiKeyOf = ({ principal }: Identified): ApiKeyPrincipal | undefined =>
  principal?.kind === 'key' ? principal : undefined;

const IPV6_NETWORK_BITS = 64; // a typical allocation to one subscriber

/** Some proxies, such as Azure's, add the client's port to `X-Forwarded-For`: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const PORT = /^(?:\[(.+)\]|([\d.]+)):\d+$/;

/** Returns an IPv4 address, also for an IPv4-mapped one, or the /64 of an IPv6 address. */
export function network(client = ''): string {
  const ip = client.replace(PORT, '$1$2');
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString();
}
