import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder, run } from '../support/program.js';

const ROOT = join(import.meta.dirname, '../..');

describe('npm run bench', () => {
  it('says how to install the other servers where that has not been done', async () => {
    const folder = await emptyFolder();
    try {
      for (const path of ['package.json', 'lab/bench', 'lab/soak', 'lab/package.json'])
        await cp(join(ROOT, path), join(folder.path, path), { recursive: true });
      for (const path of ['node_modules', 'dist']) await symlink(join(ROOT, path), join(folder.path, path));
      const bench = join(folder.path, 'lab/bench/run.mjs');
      expect(await run(bench, ['--quick'], { cwd: folder.path })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'The servers to compare with need packages of their own: run "npm ci --prefix lab" first\n',
      });
    } finally {
      await folder.remove();
    }
  });
});
