import type pg from 'pg';
import { seconds } from '../../../kernel/clock/duration.js';

/**
 * Options with which this process notices a network or a server that is lost while it waits for a response
 * without a time limit: 20 s later, instead of after two hours. Node.js asks once a second after this time,
 * ten times.
 */
export const NOTICE_LOST_SERVER = { keepAlive: true, keepAliveInitialDelayMillis: seconds(10) };

/**
 * With which PostgreSQL ends the session of a machine or network that is lost, with its locks, after a minute
 * instead of two hours. Not less: a client may read nothing of its response for so long.
 */
const NOTICE_LOST_CLIENT = `
  SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; SET tcp_user_timeout = '60s'`;
/**
 * With which it ends the statement of a process that is gone. Not every platform of a server has this
 * setting.
 */
const NOTICE_LOST_PROCESS = `SET client_connection_check_interval = '1s'`;

/** Lets PostgreSQL notice when this client is gone. A socket of a file system ignores what is TCP's. */
export async function watchClient(client: pg.ClientBase): Promise<void> {
  await client.query(NOTICE_LOST_CLIENT).catch(() => undefined);
  await client.query(NOTICE_LOST_PROCESS).catch(() => undefined);
}
