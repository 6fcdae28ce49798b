import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** A database of one suite. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** The PostgreSQL of a run of tests, which makes a database for each suite. */
export class TestServer {
  private readonly administration: pg.Pool;

  /** @param url of a superuser, and of a database that is no template */
  constructor(private readonly url: string) {
    this.administration = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
    // A test may have ended its connection; the next statement opens another.
    this.administration.on('error', () => undefined);
  }

  /** @param template a database without connections, of which the new one is a copy */
  async create(template: string): Promise<TestDatabase> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await this.administration.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
    return {
      url: Object.assign(new URL(this.url), { pathname: `/${name}` }).href,
      drop: async () => {
        await this.administration.query(`DROP DATABASE ${name} WITH (FORCE)`);
      },
    };
  }
}

/** Connects for a while. */
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
