import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

const SERVER = process.env.PETSTORE_TEST_SERVER ?? '';
const administration = new pg.Pool({ connectionString: SERVER, max: 1, allowExitOnIdle: true });
administration.on('error', () => undefined); // a test may have ended its connection; the next statement opens another

/** Creates a database for one suite, on the server that the run has started. */
export async function createTestDatabase(
  template = 'petstore', // has all tables, while `template1` has none
): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administration.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return {
    url: Object.assign(new URL(SERVER), { pathname: `/${name}` }).href,
    async drop() {
      await administration.query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the next query fails with the same error
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
