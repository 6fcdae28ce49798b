import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../support/migrations.js';
import { readText } from '../support/repository.js';

const ROOT = join(import.meta.dirname, '../..');

/** The line after a script in a block that is pasted, which a terminal without bracketed paste sends as the input of the script. */
const NEXT = 'docker compose down\n';

describe('a script of deploy', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'petstore '));
    // As the real one, it reads all of its input.
    writeFileSync(join(folder, 'docker'), '#!/bin/sh\ncat >>"$SEEN"\necho "$*" >>"$CALLS"\n', {
      mode: 0o755,
    });
    writeFileSync(join(folder, 'petstore.dump'), 'a dump');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['compose/roll.sh', '1.3.0'],
    ['backup/backup.sh', 'compose', 'NEW'],
    ['backup/restore.sh', 'compose', 'FOLDER'],
  ])('leaves the input to its caller: %s', (script, ...args) => {
    const named = args.map((arg) => ({ NEW: join(folder, 'new'), FOLDER: folder })[arg] ?? arg);
    const shell = [
      `export PATH='${folder}':"$PATH" SEEN='${folder}/seen' CALLS='${folder}/calls'`,
      `'${join(ROOT, 'deploy', script)}' ${named.map((arg) => `'${arg}'`).join(' ')} >/dev/null 2>&1`,
      'cat; cat "$CALLS"',
    ].join('\n');
    const { stdout } = spawnSync('sh', ['-c', shell], { input: NEXT, encoding: 'utf8' });
    expect(stdout).toMatch(/^docker compose down\n(?:compose|image)/);
  });
});

describe('deploy/backup/restore.sh', () => {
  it('knows the last migration of the oldest version that is upgraded', () => {
    const oldest = MIGRATIONS.filter(({ upgradesFrom }) => upgradesFrom !== undefined).at(-1);
    expect(readText('deploy/backup/restore.sh')).toContain(
      `# The last migration of ${oldest?.upgradesFrom}.\n`,
    );
    expect(readText('deploy/backup/restore.sh')).toContain(`\noldest=${oldest?.name}\n`);
  });
});
