import { type INestApplication, Logger } from '@nestjs/common';
import type { NestApplicationContext } from '@nestjs/core';
import type { Express } from 'express';
import type { Server } from 'node:http';
import { withTimeout, seconds } from '../../kernel/clock/duration.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { Readiness } from '../../observe/health/readiness.js';
import { endConnections } from '../../http/core/adapter/response-head.js';
import { HttpConfig } from '../../http/core/http.config.js';
import { IdempotentRequests } from '../../writes/idempotency/idempotent-requests.js';
import { ClientSlots } from '../../access/rate-limit/client-slots.js';

/** Time for requests that still run when the port closes. */
const REQUEST_TIMEOUT = seconds(4);
/** Time for everything else, such as writing day counts and closing connections. */
const CLOSE_TIMEOUT = seconds(9);
const SWEEP_INTERVAL = 50; // milliseconds

/**
 * Graceful shutdown. On SIGTERM, readiness fails immediately; requests are still served during the grace
 * period, and each response closes its connection (RFC 9112, section 9.6). Other signals come from a person
 * who waits: no grace period.
 */
export async function close(app: INestApplication, signal?: NodeJS.Signals): Promise<void> {
  const context = app as Pick<NestApplicationContext, 'close'>; // the interface omits the signal
  const server = app.getHttpServer() as Server;
  const grace = signal === 'SIGTERM' ? app.get(HttpConfig).shutdownGrace : 0;
  if (grace > 0) {
    new Logger('Shutdown').log(
      `${signal}: no longer ready; requests are served for another ${grace / 1000} s.`,
    );
  }
  app.get(Readiness).stop();
  endConnections(app.getHttpAdapter().getInstance() as Express);
  let cut: NodeJS.Timeout | undefined;
  const sweep = setInterval(() => {
    if (server.listening) return;
    cut ??= endRequests(app, server);
    // A connection may have been idle since before the signal.
    server.closeIdleConnections();
  }, SWEEP_INTERVAL);
  try {
    await withTimeout(context.close(signal), grace + CLOSE_TIMEOUT, () => {
      throw new StartupError('Connections did not close in time.');
    });
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** After the port has closed: waiting requests are refused, running ones may take a while. */
function endRequests(app: INestApplication, server: Server): NodeJS.Timeout {
  app.get(ClientSlots).close();
  app.get(IdempotentRequests).close();
  return setTimeout(() => {
    server.closeAllConnections();
  }, REQUEST_TIMEOUT);
}
