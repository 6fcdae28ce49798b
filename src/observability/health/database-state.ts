import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { migrationState, type MigrationState } from '../../database/migrations/migration-state.js';

/** The state of the database, by a connection of the pool. Concurrent probes share one query. */
@Injectable()
export class DatabaseState {
  private asking?: Promise<MigrationState>;

  constructor(private readonly dataSource: DataSource) {}

  /** @throws when the database does not respond */
  migrations(): Promise<MigrationState> {
    this.asking ??= migrationState((sql) => this.dataSource.query(sql)).finally(
      () => (this.asking = undefined),
    );
    return this.asking;
  }
}
