import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { allFilesIn, readText } from '../support/repository.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = allFilesIn('src/platform').filter((file) => /(?<!\.d|spec)\.ts$/.test(file));

describe('the platform, which another service installs', () => {
  it('reads no name and no plan of a service while its modules load', async () => {
    const modules = sources
      .filter((file) => !file.includes('/browser/'))
      .map((file) => file.replace(/ts$/, 'js'));
    const load = `await import('reflect-metadata');
      for (const file of ${JSON.stringify(modules)})
        await import('./dist/src/platform/' + file).catch(({ message }) => console.log(file, message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load], {
      cwd: root,
    });
    expect(stdout).toBe('');
  });

  it('does not say the name of this service, nor of a plan', () => {
    const code = (file: string) =>
      readText(`src/platform/${file}`)
        .split('\n')
        .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
        .join('\n');
    const named = sources
      .filter((file) => !file.startsWith('program/migrations/')) // what databases have recorded
      .filter((file) =>
        /petstore|\bpets?\b|'(free|pro|business|enterprise)'|enterprise|with (pro|business)\b/i.test(
          code(file),
        ),
      );
    expect(named).toEqual([]);
  });
});
