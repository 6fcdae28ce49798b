import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PoolWatch } from '../../data/database/pool/pool-watch.js';
import { poolOf } from '../../data/database/pool/service-pool.js';
import { service } from '../../kernel/config/service.js';
import { Metrics } from './metrics.js';

/** The state of the connection pool, read at each scrape. */
@Injectable()
export class PoolMetrics {
  constructor({ registry }: Metrics, dataSource: DataSource, watch: PoolWatch) {
    const pool = poolOf(dataSource);
    new Gauge({
      name: `${service().prefix}_database_connections`,
      help: 'Connections to PostgreSQL, by whether they are in use.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
      },
    });
    new Gauge({
      name: `${service().prefix}_database_connections_max`,
      help: 'Connections to PostgreSQL that this process may have at a time.',
      registers: [registry],
      collect() {
        this.set(pool.options.max);
      },
    });
    new Gauge({
      name: `${service().prefix}_database_waiting`,
      help: 'Requests of this process that wait for a connection to PostgreSQL.',
      registers: [registry],
      collect() {
        this.set(pool.waitingCount);
      },
    });
    new Gauge({
      name: `${service().prefix}_database_stuck_seconds`,
      help: 'Seconds for which all connections to PostgreSQL have been in use and none has come back; 0 while one is free.',
      registers: [registry],
      collect() {
        this.set(watch.stuckFor() / 1_000);
      },
    });
  }
}
