import { seconds } from '../../kernel/clock/duration.js';
import { service } from '../../kernel/config/service.js';
import { rethrowAsNoConnection, throwConnectionError } from './database-unavailable.js';
import { STATEMENT_TIMEOUT } from './pool/connection-options.js';
import { NOTICE_LOST_SERVER } from './pool/lost-connections.js';
import { PostgresClient } from './pool/postgres-client.js';

const CONNECT_TIMEOUT = seconds(5);

/** The `application_name` of migrations and of what looks before them. */
export const migrating = (): string => `${service().prefix} migrate`;

/**
 * Asks by a connection of its own, with the start-up parameters of the service: what a role or a pooler makes of
 * them is what the service gets.
 * @throws StartupError if the connection fails
 */
export async function withConnection<T>(
  url: string,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = new PostgresClient({
    connectionString: url,
    application_name: migrating(),
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    statement_timeout: STATEMENT_TIMEOUT,
    ...NOTICE_LOST_SERVER,
  });
  client.on('error', () => undefined); // a lost connection fails the query
  await client.connect().catch(rethrowAsNoConnection);
  return work(client)
    .catch(throwConnectionError)
    .finally(() => client.end().catch(() => undefined));
}
