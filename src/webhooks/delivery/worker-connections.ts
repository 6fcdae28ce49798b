import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions, dedicatedConnection } from '../../database/pool/connection-options.js';
import { resultWithin, seconds } from '../../kernel/clock/duration.js';
import { ServicePool } from '../../database/pool/service-pool.js';

const POOL_SIZE = 2;
const END_TIMEOUT = seconds(1);
/** Milliseconds for a free connection: many statements of the queue wait for the only one. */
const QUEUE_TIMEOUT = seconds(5);

/**
 * Connections of the worker, apart from those of requests: no request waits for a delivery. The first use opens the pool.
 */
@Injectable()
export class WorkerConnections implements OnApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private made?: Pool;
  private madeForQueue?: Pool;

  constructor(private readonly dataSource: DataSource) {}

  get pool(): Pool {
    return (this.made ??= this.make());
  }

  /**
   * For the job queue: one connection listens, and the other has its statements run one after another. Two processes that
   * look for a job at the same moment hide the named queues from each other; the workers of one process would do so always.
   */
  get queuePool(): Pool {
    return (this.madeForQueue ??= this.make(QUEUE_TIMEOUT));
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query(sql, [...values]);
    return rows as Row[];
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = Promise.all([this.made?.end(), this.madeForQueue?.end()]);
    // A connection whose query has no response ends by its own timeouts, after the stop if need be.
    await resultWithin(END_TIMEOUT, ended);
  }

  private make(connectTimeout?: number): Pool {
    const server = dedicatedConnection(this.dataSource);
    const { extra, connectTimeoutMS } = connectionOptions(server.connectionString);
    const pool = new ServicePool({
      ...server,
      application_name: 'petstore webhooks',
      max: POOL_SIZE,
      connectionTimeoutMillis: connectTimeout ?? connectTimeoutMS,
      statement_timeout: extra.statement_timeout,
    });
    // Without a listener, a connection that is lost would end the process: the pool hears of idle ones alone.
    pool.on('error', (error) => {
      this.logger.warn(`A connection was lost: ${error.message}`);
    });
    return pool;
  }
}
