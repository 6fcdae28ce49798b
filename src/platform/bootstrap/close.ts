import { type INestApplication, Logger } from '@nestjs/common';
import type { NestApplicationContext } from '@nestjs/core';
import type { RequestListener, Server } from 'node:http';
import { withTimeout, seconds } from '../clock/duration.js';
import { StartupError } from '../config/startup-error.js';
import { HttpConfig } from '../http/http.config.js';
import { IdempotentRequests } from '../idempotency/idempotent-requests.js';
import { ClientTurns } from '../rate-limit/client-turns.js';

/** Time for requests that still run at the end of the grace period. */
const REQUEST_TIMEOUT = seconds(4);
/** Time for everything else, such as writing day counts and closing connections. */
const CLOSE_TIMEOUT = seconds(9);
const SWEEP_INTERVAL = 50; // milliseconds

/**
 * Graceful shutdown. On SIGTERM, readiness fails immediately; requests are still served during the grace period, and each
 * response closes its connection (RFC 9112, section 9.6). Other signals come from a person who waits: no grace period.
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
  server.prependListener('request', closeConnection);
  // The response to an earlier request may lack `Connection: close`, which leaves an idle connection open.
  const sweep = setInterval(() => {
    if (!server.listening) server.closeIdleConnections();
  }, SWEEP_INTERVAL);
  const refuse = setTimeout(() => {
    app.get(ClientTurns).close();
    app.get(IdempotentRequests).close();
  }, grace);
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, grace + REQUEST_TIMEOUT);
  try {
    await withTimeout(context.close(signal), grace + CLOSE_TIMEOUT, () => {
      throw new StartupError('Connections did not close in time.');
    });
  } finally {
    clearInterval(sweep);
    clearTimeout(refuse);
    clearTimeout(cut);
  }
}

const closeConnection: RequestListener = (_request, response) => {
  response.setHeader('Connection', 'close');
};
