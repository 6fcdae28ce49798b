import pg from 'pg';
import { getTypeParser } from './values.js';

declare module 'pg' {
  interface ClientBase {
    /** What the start-up packet sets. Its types lack it. */
    getStartupConf(): Record<string, string | undefined>;
  }
}

/**
 * A connection to PostgreSQL, with values that mean the same whatever the database, the role or a pooler sets.
 * Every connection of the service and of its commands is one.
 */
export class PostgresClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    const given = typeof config === 'string' ? { connectionString: config } : config;
    super({ ...given, types: { getTypeParser } });
  }

  /** `DateStyle`, which a start-up packet sets for good: poolers keep it with their client, unlike most settings. */
  override getStartupConf(): Record<string, string | undefined> {
    return { ...super.getStartupConf(), DateStyle: 'ISO' };
  }
}
