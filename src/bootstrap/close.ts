import { type INestApplication, Logger } from '@nestjs/common';
import type { NestApplicationContext } from '@nestjs/core';
import type { RequestListener, Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../kernel/clock/duration.js';
import { Config } from '../kernel/config/config.js';

/** What a request that runs at the end of the grace gets to finish. */
const LAST_REQUESTS = seconds(4);
/** What all the rest gets: the day counts are written, and connections closed. */
const EVERYTHING = seconds(6.5);
const SWEEP = 50; // milliseconds

/**
 * Ends an application in good order. From SIGTERM on it is not ready, and goes on answering for the grace, in which
 * every answer ends its connection (RFC 9112, section 9.6). Any other signal has no grace: a person waits.
 */
export async function close(app: INestApplication, signal?: NodeJS.Signals): Promise<void> {
  const context = app as Pick<NestApplicationContext, 'close'>; // the interface leaves out the signal
  const server = app.getHttpServer() as Server;
  const grace = signal === 'SIGTERM' ? app.get(Config).shutdownGrace : 0;
  if (grace > 0) {
    new Logger('Shutdown').log(`${signal}: not ready from now on, and answering for ${grace / 1000} s more.`);
  }
  server.prependListener('request', lastOfItsConnection);
  // A connection whose request was already running when the signal came has not been told that it ends.
  const sweep = setInterval(() => {
    if (!server.listening) server.closeIdleConnections();
  }, SWEEP);
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, grace + LAST_REQUESTS);
  try {
    await Promise.race([context.close(signal), late(grace + EVERYTHING)]);
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

const lastOfItsConnection: RequestListener = (_request, response) => {
  response.setHeader('Connection', 'close');
};

async function late(after: number): Promise<never> {
  await delay(after, undefined, { ref: false });
  throw new Error('petstore: gave up waiting for connections to close.');
}
