import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { SERVICE } from '../../kernel/service.js';
import { Metrics } from './metrics.js';

/** The state of the connection pool, read at each scrape. */
@Injectable()
export class PoolMetrics {
  constructor({ registry }: Metrics, { driver }: DataSource) {
    const pool = (driver as PostgresDriver).master as Pool;
    new Gauge({
      name: `${SERVICE.prefix}_database_connections`,
      help: 'Connections to PostgreSQL, by whether they are in use.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
      },
    });
    new Gauge({
      name: `${SERVICE.prefix}_database_connections_max`,
      help: 'Connections to PostgreSQL that this process may have at a time.',
      registers: [registry],
      collect() {
        this.set(pool.options.max);
      },
    });
    new Gauge({
      name: `${SERVICE.prefix}_database_waiting`,
      help: 'Requests of this process that wait for a connection to PostgreSQL.',
      registers: [registry],
      collect() {
        this.set(pool.waitingCount);
      },
    });
  }
}
