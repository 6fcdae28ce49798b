import { type Command, Option } from 'commander';
import { type Json, print } from '../../../kernel/terminal/print.js';
import {
  countConnections,
  inspectMigrations,
  lastMigration,
  migrate as applyPending,
  revertLast,
} from './migrate.js';
import type { Migration } from './migration-state.js';
import { withServer } from '../with-server.js';
import { confirm, isOnTerminal } from '../../../kernel/terminal/confirm.js';
import { StartupError, UsageError } from '../../../kernel/config/startup-error.js';

interface Options extends Json {
  readonly status?: true;
  readonly revert?: true;
  readonly yes?: true;
  readonly force?: true;
}

/** `petstore migrate` */
export function addMigrateCommand(program: Command, known: readonly Migration[]): void {
  program
    .command('migrate')
    .description(
      'Run the pending migrations of DATABASE_URL, or of the embedded database. Only this command and the start of the service or of a worker create tables.',
    )
    .option('--status', 'only list the migrations; the exit code is 1 if some are pending')
    .addOption(
      new Option('--revert', 'revert the newest migration and lose the data of its tables').conflicts(
        'status',
      ),
    )
    .option('--yes', 'do not ask before --revert')
    .option('--force', 'revert although the service is connected')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nIf several start together, one migrates and the rest wait.')
    .action((options: Options) => {
      if (options.revert) return revert(known, options);
      if (options.yes || options.force) throw new UsageError('--yes and --force are for --revert only.');
      return options.status ? status(known, options) : migrate(known, options);
    });
}

async function migrate(known: readonly Migration[], { json }: Options): Promise<void> {
  const applied = await withServer((url) => applyPending(url, known));
  print(json, { applied }, () =>
    applied.length === 0 ? 'Nothing to do: the tables are up to date.' : `Applied: ${applied.join(', ')}`,
  );
}

async function status(known: readonly Migration[], { json }: Options): Promise<void> {
  const { obstacle, applied, pending, newer } = await withServer((url) => inspectMigrations(url, known));
  print(json, { applied, pending, newer }, () =>
    [...applied.map(line('applied')), ...pending.map(line('pending'))].join('\n'),
  );
  const count = pending.length;
  if (count === 0) return;
  const pendingOnes = count === 1 ? '1 migration is pending.' : `${count} migrations are pending.`;
  throw new StartupError(obstacle === undefined ? pendingOnes : `${pendingOnes} ${obstacle}`);
}

async function revert(known: readonly Migration[], { json, yes, force }: Options): Promise<void> {
  if (!yes && !isOnTerminal())
    throw new UsageError('--revert loses the data of the newest tables: it needs --yes.');
  const reverted = await withServer(async (url) => {
    const last = await lastMigration(url, known);
    if (last === undefined) return undefined;
    const connections = force ? 0 : await countConnections(url);
    if (connections > 0)
      throw new StartupError(
        `The service is connected (${connections} connections). Stop all its processes, or use --force.`,
      );
    if (!yes) await confirm(`Revert ${last} and lose the data of its tables?`);
    return revertLast(url, known, last);
  });
  print(json, { reverted: reverted ?? null }, () =>
    reverted === undefined ? 'Nothing to do: no migration has been applied.' : `Reverted: ${reverted}`,
  );
}

const line = (state: string) => (name: string) => `${state}  ${name}`;
