import { setTimeout as delay } from 'node:timers/promises';
import type { ServerAddress } from './connection.js';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { DatabaseTooOld, EmbeddedPostgresError, toError } from './embedded-postgres.error.js';
import type { Server, ServerSettings } from './server.js';

const PATIENCE_MS = 15_000;
const PAUSE_MS = 50;

export interface Reached<T> {
  result: T;
  address: ServerAddress;
  /** Of the server's main process. */
  pid: number;
}

/**
 * Starts the server unless it is running, and uses it. Another process may be starting or stopping the same
 * server, so a failed use is retried, unless its error is final.
 */
export async function reachServer<T>(
  server: Server,
  password: string,
  settings: ServerSettings,
  use: (address: ServerAddress) => Promise<T>,
): Promise<Reached<T>> {
  const deadline = Date.now() + PATIENCE_MS;
  let started = false;
  let failure = new Error('its PostgreSQL stops again and again');
  try {
    do {
      if ((await server.running()) === undefined) started = await server.start(settings);
      const running = await server.running();
      if (running !== undefined) {
        const address = { port: running.port, password };
        try {
          return { result: await use(address), address, pid: running.pid };
        } catch (error) {
          if (isFinal(error)) throw error;
          failure = notResponding(running.pid, toError(error));
        }
      }
      await delay(PAUSE_MS);
    } while (Date.now() < deadline);
    throw failure;
  } catch (error) {
    const ownedByAnother = error instanceof EmbeddedPostgresError;
    if (started && !ownedByAnother) await server.stop();
    throw error;
  }
}

/** Class 28 is an authentication failure, which a retry cannot fix. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof EmbeddedPostgresError ||
    error instanceof DatabaseTooOld ||
    errorCodeOf(error).startsWith('28')
  );
}

function notResponding(pid: number, cause: Error): Error {
  return new Error(`its PostgreSQL, process ${pid}, does not respond: ${cause.message}`, { cause });
}
