import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND_LINE, emptyFolder, inShell, MIGRATED_DATA, run } from '../support/program.js';
import { readText } from '../support/repository.js';
import { shellBlocks } from '../support/shell-blocks.js';

let folder: Awaited<ReturnType<typeof emptyFolder>>;

beforeEach(async () => {
  folder = await emptyFolder();
});
afterEach(() => folder.remove());

async function petstore(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(COMMAND_LINE, args, { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 0, stderr });
  return stdout;
}
async function createKey(name: string): Promise<number> {
  const printed = await petstore('keys', 'create', '--plan', 'pro', '--name', name, '--json');
  return (JSON.parse(printed) as { id: number }).id;
}
const paste = (block: string) => execFileSync('sh', ['-e', '-c', block], { cwd: folder.path });

describe('the data of the embedded PostgreSQL', () => {
  it('are backed up and restored as docs/running.md says', async () => {
    await cp(MIGRATED_DATA, join(folder.path, '.petstore'), { recursive: true });
    await createKey('kept');
    const page = readText('docs/running.md');
    paste(shellBlocks(page).find((block) => block.includes('.petstore "backups/')) ?? 'false');
    const later = await createKey('made later');

    renameSync(join(folder.path, '.petstore'), join(folder.path, 'away'));
    const restore =
      /move `\.petstore` away, and run `(cp [^`]+)`/.exec(page.replaceAll('\n', ' '))?.[1] ?? 'false';
    const [made = ''] = readdirSync(join(folder.path, 'backups'));
    paste(
      restore
        .replace(/(?<=backups\/)\S+/, made)
        .replace('npx petstore', `'${process.execPath}' '${COMMAND_LINE}'`),
    );
    const keys = await petstore('keys', 'list');
    expect(keys).toContain('kept');
    expect(keys).not.toContain('made later');
    expect(await createKey('made after the restore')).toBeGreaterThan(later + 1_000);
  });
});

describe('backup.sh here', () => {
  const backup = (env = '') => {
    const script = join(import.meta.dirname, '../../deploy/backup/backup.sh');
    return inShell(`${env} sh '${script}' here '${folder.path}/backups/new'`).then(
      () => 'done',
      (error: unknown) => (error as { stderr: string }).stderr,
    );
  };

  it('without an address of a database says so, and leaves nothing', async () => {
    expect(await backup()).toMatch(/^backup\.sh: Set DATABASE_URL, or PGHOST and the like\./);
    expect(existsSync(join(folder.path, 'backups'))).toBe(false);
  });

  it('leaves nothing when it fails', async () => {
    expect(await backup('DATABASE_URL=postgres://127.0.0.1:1/none')).toContain('There is no backup');
    expect(existsSync(join(folder.path, 'backups'))).toBe(false);
  });
});
