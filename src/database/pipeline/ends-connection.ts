import pg from 'pg';

/** SQLSTATE of what PostgreSQL says before it closes a connection: shutdown, failure of it, too long in a transaction. */
const LAST_WORDS = /^(57P|08|25P0[34])/;

/** Whether PostgreSQL closes the connection after an error. `pg` takes it for usable until it has seen that. */
export const endsConnection = (error: Error | null): boolean =>
  error instanceof pg.DatabaseError && LAST_WORDS.test(error.code ?? '');
