import { Injectable, Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions, dedicatedConnection } from '../../database/pool/connection-options.js';
import { ServicePool } from '../../database/pool/service-pool.js';
import { SERVICE } from '../../kernel/service.js';

/** One of them listens for new jobs. */
const POOL_SIZE = 4;

/** The worker's own connections, so requests never wait for deliveries. The pool opens on first use. */
@Injectable()
export class WorkerConnections {
  private readonly logger = new Logger('Webhooks');
  private made?: Pool;

  constructor(private readonly dataSource: DataSource) {}

  get pool(): Pool {
    return (this.made ??= this.make());
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query(sql, [...values]);
    return rows as Row[];
  }

  async end(): Promise<void> {
    await this.made?.end();
  }

  private make(): Pool {
    const server = dedicatedConnection(this.dataSource);
    const { extra, connectTimeoutMS } = connectionOptions(server.connectionString);
    const pool = new ServicePool({
      ...server,
      application_name: `${SERVICE.prefix} webhooks`,
      max: POOL_SIZE,
      connectionTimeoutMillis: connectTimeoutMS,
      statement_timeout: extra.statement_timeout,
    });
    // An error event without a listener would end the process. The pool itself handles only errors of idle connections.
    pool.on('error', (error) => {
      this.logger.warn(`A connection was lost: ${error.message}`);
    });
    return pool;
  }
}
