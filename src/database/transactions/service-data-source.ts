import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { runningTransaction } from './ambient-transaction.js';
import { JoiningQueryRunner } from './joining-query-runner.js';

/** The data source of the service. Inside `inTransaction`, every query runner that it makes joins the transaction. */
export class ServiceDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const transaction = runningTransaction(this);
    if (!transaction) return super.createQueryRunner(mode);
    const runner = new JoiningQueryRunner(this.driver as PostgresDriver, transaction);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }
}
