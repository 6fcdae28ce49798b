// The service of `npm run dev`, on the PostgreSQL of its parent process. It stops together with its parent.
import {
  Config,
  DatabaseConfig,
  openUnmigrated,
  run,
  serve,
  start,
} from '../../dist/src/platform/program/tools.js';
import { applyMigrations, SERVICE } from './dev-migrations.mjs';

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
const has = (flag) => process.argv.includes(flag);
run(() =>
  serve(async (onEnd) => {
    const { migrateAtStart, dataDir, databaseUrl, directDatabaseUrl } = new Config().read(DatabaseConfig);
    if (migrateAtStart) {
      const url = directDatabaseUrl ?? databaseUrl ?? (await openUnmigrated(dataDir)).url;
      say(await applyMigrations(url, { again: has('--migrate-again') }));
    }
    await start(SERVICE, onEnd, { ownsDatabase: false, again: has('--again') });
  }),
);

/** @param outdated migrations that have changed since they were applied, and later ones, newest first */
function say(outdated) {
  if (outdated.length === 0) return;
  const changed = outdated.at(-1);
  const all = outdated.length === 1 ? 'it' : `it and ${outdated.length - 1} later`;
  console.log(
    `${changed} has changed since it was applied. What its tables hold is lost when it is applied again:`,
  );
  console.log(
    has('--keys')
      ? `press r and Enter to revert ${all}, and to apply what you have now.`
      : `npx ${SERVICE.program} migrate --revert --force reverts the newest one, and a save of a source applies what you have now.`,
  );
}
