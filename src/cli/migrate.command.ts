import type { Command } from 'commander';
import { print } from './keys/print.js';
import { Config } from '../kernel/config/config.js';
import { StartupError } from '../kernel/errors/common.errors.js';

interface Options {
  readonly status?: true;
  readonly json?: true;
}

/** `petstore migrate` */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Bring the tables of DATABASE_URL up to date, and end.')
    .option('--status', 'change nothing; the exit code is 1 while migrations are pending')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nOf several at the same time one does it, and the others wait for it.')
    .action((options: Options) => (options.status ? status(options) : migrate(options)));
}

async function migrate({ json }: Options): Promise<void> {
  const { migrate } = await import('../database/migrations/migrate.js'); // brings TypeORM along
  const applied = await migrate(databaseUrl());
  print(json, { applied }, () =>
    applied.length === 0 ? 'Nothing to do: the tables are up to date.' : `Applied: ${applied.join(', ')}`,
  );
}

async function status({ json }: Options): Promise<void> {
  const { inspectMigrations } = await import('../database/migrations/migrate.js');
  const state = await inspectMigrations(databaseUrl());
  const { applied, pending } = state;
  print(json, state, () => [...applied.map(line('applied')), ...pending.map(line('pending'))].join('\n'));
  if (pending.length > 0) throw new StartupError(`${pending.length} migrations are pending.`);
}

const line = (state: string) => (name: string) => `${state}  ${name}`;

function databaseUrl(): string {
  const { databaseUrl } = new Config();
  if (databaseUrl !== undefined) return databaseUrl;
  throw new StartupError('Set DATABASE_URL. The embedded database is migrated whenever it starts.');
}
