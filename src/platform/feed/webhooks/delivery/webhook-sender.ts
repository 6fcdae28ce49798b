import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { isNativeError } from 'node:util/types';
import { hours, seconds } from '../../../kernel/clock/duration.js';
import { AddressRefused, EndpointAddresses, NameServersUnavailable } from './endpoint-addresses.js';

/** For a whole attempt: DNS, connection, request, and the head of the response. */
const TIMEOUT = seconds(10);
/** Statuses with which an endpoint may ask to be left alone, and for how long at most. */
const BUSY: readonly number[] = [429, 503];
const MAX_RETRY_AFTER = hours(1);
const IDLE = seconds(4); // less than the 5 s after which many servers close a connection

/** Why an attempt failed. The codes reveal no address and no part of the response. */
export const ATTEMPT_ERRORS = [
  'http_status',
  'timeout',
  'connection_failed',
  'tls_failed',
  'name_not_resolved',
  'address_refused',
  'secret_unreadable',
  'event_expired',
] as const;

export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

export interface SendResult {
  /** HTTP status. Absent if there was no response. */
  readonly status?: number;
  /** Absent after a success. */
  readonly error?: AttemptError;
  /** Milliseconds for which the endpoint asks to be left alone, with 429 or 503. */
  readonly retryAfter?: number;
}

/** Sends messages to users' endpoints, which are untrusted. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: IDLE, maxFreeSockets: 64 }),
    'https:': new https.Agent({ keepAlive: true, timeout: IDLE, maxFreeSockets: 64 }),
  };

  constructor(private readonly addresses: EndpointAddresses) {}

  /** Never rejects. @param signal aborts the attempt @returns `undefined` if it was aborted */
  async send(
    url: string,
    headers: http.OutgoingHttpHeaders,
    body: string,
    signal?: AbortSignal,
  ): Promise<SendResult | undefined> {
    const deadline = AbortSignal.timeout(TIMEOUT);
    const end = signal ? AbortSignal.any([signal, deadline]) : deadline;
    // The timeout applies to the attempt rather than to its request, because a request does not report every
    // way in which a peer can end it.
    const aborted = new Promise<never>((_, reject) => {
      end.addEventListener('abort', () => {
        reject(end.reason as Error);
      });
    });
    try {
      return await Promise.race([this.attempt(new URL(url), headers, body, end), aborted]);
    } catch (error) {
      if (deadline.aborted) return { error: 'timeout' };
      return end.aborted ? undefined : { error: reason(error) };
    }
  }

  onApplicationShutdown(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private async attempt(
    url: URL,
    headers: http.OutgoingHttpHeaders,
    body: string,
    signal: AbortSignal,
  ): Promise<SendResult> {
    // Node.js does not call `lookup` if the host is an IP address.
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) > 0) await this.addresses.of(url);
    try {
      return await this.post(url, headers, body, signal);
    } catch (error) {
      // The endpoint closed an idle connection just as it was being reused.
      if (!(error instanceof StaleConnection)) throw error;
      return this.post(url, headers, body, signal);
    }
  }

  private post(
    url: URL,
    headers: http.OutgoingHttpHeaders,
    body: string,
    signal: AbortSignal,
  ): Promise<SendResult> {
    return new Promise((resolve, reject) => {
      const { request } = url.protocol === 'https:' ? https : http;
      const agent = this.agents[url.protocol as keyof typeof this.agents];
      const lookup = this.lookup(url);
      const sent = request(url, { method: 'POST', agent, headers, lookup, signal }, (response) => {
        discardBody(response);
        resolve(resultOf(response));
      });
      // Without a listener, Node.js closes the connection and emits neither a response nor an error.
      sent.on('upgrade', ({ statusCode: status }: IncomingMessage, socket: Duplex) => {
        socket.destroy();
        resolve({ status, error: 'http_status' });
      });
      sent.on('error', (error) => {
        reject(isStaleConnection(sent, error) ? new StaleConnection() : error);
      });
      sent.end(body);
    });
  }

  /** Connects to exactly the addresses that were checked. */
  private lookup(url: URL): LookupFunction {
    return (_hostname, { all }, done) => {
      this.addresses.of(url).then(
        (found) => {
          const list = found.map((address) => ({ address, family: isIP(address) }));
          if (all) done(null, list);
          else done(null, list[0]?.address ?? '', list[0]?.family);
        },
        (error: unknown) => {
          done(error as Error, '');
        },
      );
    };
  }
}

class StaleConnection extends Error {}

const isStaleConnection = (request: ClientRequest, error: Error): boolean =>
  request.reusedSocket && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

/**
 * Frees the connection of a response, whatever its body does: it is reused if the body has come together with
 * the head, as short ones do, and closed otherwise.
 */
function discardBody(response: IncomingMessage): void {
  response.resume();
  setImmediate(() => {
    if (!response.complete) response.destroy();
  });
}

/** Redirects are not followed: they count as failures. */
function resultOf({ statusCode: status = 0, headers }: IncomingMessage): SendResult {
  if (status >= 200 && status < 300) return { status };
  const retryAfter = BUSY.includes(status) ? retryAfterOf(headers) : 0;
  return { status, error: 'http_status', ...(retryAfter > 0 && { retryAfter }) };
}

/**
 * Seconds or a date (RFC 9110, section 10.2.3). A date is compared with the endpoint's own clock, if it sends
 * that.
 */
function retryAfterOf({ 'retry-after': value = '', date }: IncomingHttpHeaders): number {
  if (/^\d+$/.test(value)) return Math.min(seconds(Number(value)), MAX_RETRY_AFTER);
  if (!/^[A-Z][a-z]{2}.* GMT$/.test(value)) return 0; // `Date.parse` takes much more for a date
  const now = Date.parse(date ?? '');
  const wait = Date.parse(value) - (Number.isNaN(now) ? Date.now() : now);
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), MAX_RETRY_AFTER);
}

function reason(error: unknown): AttemptError {
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof NameServersUnavailable) return 'name_not_resolved';
  const code = isNativeError(error) && 'code' in error ? String(error.code) : '';
  return /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO|HOSTNAME)/.test(code)
    ? 'tls_failed'
    : 'connection_failed';
}
