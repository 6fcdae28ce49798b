import type { MigrationInterface } from 'typeorm';

/** Changed the jobs of a queue that no longer exists. It stays, because databases have recorded it. */
export class JobPerWebhook1795802400000 implements MigrationInterface {
  up(): Promise<void> {
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}
