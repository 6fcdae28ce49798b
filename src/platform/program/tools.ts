/** What the tools of an author use: `npm run dev`, `migration`, tests that start a PostgreSQL of their own. */
export { openDataSource } from './bootstrap/data-source.js';
export { migrationsOf } from './bootstrap/migrations.js';
export { run } from './bootstrap/run.js';
export { serve } from './bootstrap/serve.js';
export { start } from './bootstrap/start.js';
export { createApp } from './bootstrap/create-app.js';
export { DatabaseConfig } from '../data/database/database.config.js';
export { inspectMigrations, migrate, revertLast } from '../data/database/migrations/migrate.js';
export { openDatabase, openUnmigrated } from '../data/database/open-database.js';
export { openEmbeddedPostgres } from '../data/embedded-postgres/embedded-postgres.js';
export { Config } from '../kernel/config/config.js';
