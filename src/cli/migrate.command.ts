import { type Command, Option } from 'commander';
import { type Json, print } from './print.js';
import { DatabaseConfig } from '../database/database.config.js';
import { Config } from '../kernel/config/config.js';
import { StartupError } from '../kernel/errors/common.errors.js';

interface Options extends Json {
  readonly status?: true;
  readonly revert?: true;
}

/** `petstore migrate` */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Run the pending migrations of DATABASE_URL.')
    .option('--status', 'only list the migrations; the exit code is 1 if some are pending')
    .addOption(
      new Option('--revert', 'revert the newest migration and lose the data of its tables').conflicts(
        'status',
      ),
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nIf several start together, one migrates and the rest wait.')
    .action((options: Options) => {
      if (options.revert) return revert(options);
      return options.status ? status(options) : migrate(options);
    });
}

async function migrate({ json }: Options): Promise<void> {
  const { migrate } = await import('../database/migrations/migrate.js'); // loads TypeORM
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

async function revert({ json }: Options): Promise<void> {
  const { revertLast } = await import('../database/migrations/migrate.js');
  const reverted = await withServer(revertLast);
  print(json, { reverted: reverted ?? null }, () =>
    reverted === undefined ? 'Nothing to do: no migration has been applied.' : `Reverted: ${reverted}`,
  );
}

/** Also supports the embedded database: during development, a migration is reverted and rewritten. */
async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const { directDatabaseUrl, databaseUrl, dataDir } = new Config().read(DatabaseConfig);
  const url = directDatabaseUrl ?? databaseUrl;
  if (url !== undefined) return work(url);
  const { openUnmigrated } = await import('../database/open-database.js');
  const database = await openUnmigrated(dataDir);
  return work(database.url).finally(() => database.stop());
}

const line = (state: string) => (name: string) => `${state}  ${name}`;

function databaseUrl(): string {
  const config = new Config().read(DatabaseConfig);
  const databaseUrl = config.directDatabaseUrl ?? config.databaseUrl;
  if (databaseUrl !== undefined) return databaseUrl;
  throw new StartupError('Set DATABASE_URL. The embedded database runs its migrations at each start.');
}
