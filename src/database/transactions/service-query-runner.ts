import type { Client } from 'pg';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

/** As TypeORM writes it. */
const COMMIT = 'COMMIT';

/** PostgreSQL has rolled back what was to be committed: a statement of the transaction had failed. */
export class TransactionRolledBack extends Error {
  constructor() {
    super('The transaction was rolled back, because a statement in it had failed.');
  }
}

/** TypeORM's query runner, with a commit that either happens or throws. */
export class ServiceQueryRunner extends PostgresQueryRunner {
  /** @throws TransactionRolledBack for a commit that PostgreSQL answers with `ROLLBACK`, and without an error */
  override async query(
    ...[sql, values, structured]: Parameters<PostgresQueryRunner['query']>
  ): ReturnType<PostgresQueryRunner['query']> {
    if (sql !== COMMIT) return (await super.query(sql, values, structured)) as unknown;
    const { connection } = (await this.connect()) as Client;
    let tag = '';
    const note = (message: { readonly text: string }) => (tag = message.text);
    connection.on('commandComplete', note);
    try {
      const result: unknown = await super.query(sql, values, structured);
      if (tag === 'ROLLBACK') throw new TransactionRolledBack();
      return result;
    } finally {
      connection.off('commandComplete', note);
    }
  }
}
