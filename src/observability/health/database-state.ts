import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { migrationState, type MigrationState } from '../../database/migrations/migration-state.js';

/** What the service's own database connections can tell of it. However many ask at a time, one of them is used. */
@Injectable()
export class DatabaseState {
  private asking?: Promise<MigrationState>;

  constructor(private readonly dataSource: DataSource) {}

  /** @throws whatever keeps the database from answering */
  migrations(): Promise<MigrationState> {
    this.asking ??= migrationState((sql) => this.dataSource.query(sql)).finally(
      () => (this.asking = undefined),
    );
    return this.asking;
  }
}
