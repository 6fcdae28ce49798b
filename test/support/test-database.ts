import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A database of its own for one suite, on the real server that the run has started. */
export async function createTestDatabase(
  template: 'petstore_template' | 'template1' = 'petstore_template',
): Promise<TestDatabase> {
  const server = process.env.PETSTORE_TEST_SERVER ?? '';
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    drop: () => execute(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function execute(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
