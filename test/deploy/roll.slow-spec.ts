import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { emptyFolder } from '../support/program.js';

const ROOT = join(import.meta.dirname, '../..');

describe('deploy/compose/roll.sh', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  const at = (name: string) => join(folder.path, name);
  const containers = () => readFileSync(at('containers'), 'utf8').trim().split('\n');
  const roll = (version: string) =>
    promisify(execFile)(at('deploy/compose/roll.sh'), [version], {
      env: {
        PATH: `${at('bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
        CONTAINERS: at('containers'),
        ROLL_WATCH_SECONDS: '1',
      },
    });

  beforeEach(async () => {
    folder = await emptyFolder();
    for (const name of ['bin', 'deploy/compose']) mkdirSync(at(name), { recursive: true });
    copyFileSync(join(ROOT, 'deploy/compose/roll.sh'), at('deploy/compose/roll.sh'));
    symlinkSync(join(ROOT, 'test/support/fake-docker.mjs'), at('bin/docker'));
    writeFileSync(at('containers'), 'r1 1.0.0\nr2 1.0.0\nworker 1.0.0\n');
  });
  afterEach(() => folder.remove());

  it('stops the old replicas after the new ones are healthy, and says which version runs', async () => {
    await roll('1.1.0');
    expect(containers()).toEqual(['r3 1.1.0', 'r4 1.1.0', 'worker 1.1.0']);
    expect(readFileSync(at('.env'), 'utf8')).toBe('PETSTORE_VERSION=1.1.0\n');
    const log = readFileSync(at('containers.log'), 'utf8');
    expect(log.indexOf('compose run --rm --no-deps migrate')).toBeLessThan(log.indexOf('--scale petstore=4'));
    expect(log.indexOf('--scale petstore=4')).toBeLessThan(log.indexOf('stop r1'));
  });

  it.each(['bad', 'dies'])(
    'removes new replicas that are %s, and has stopped no old one',
    async (version) => {
      await expect(roll(version)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/roll\.sh: The new replicas do not \w+ healthy\./) as unknown,
      });
      expect(containers()).toEqual(['r1 1.0.0', 'r2 1.0.0', 'worker 1.0.0']);
      expect(readFileSync(at('containers.log'), 'utf8')).not.toContain('\nstop');
    },
  );

  it('has the number of replicas again after a run that was interrupted', async () => {
    writeFileSync(at('containers'), 'r1 1.0.0\nr2 1.0.0\nworker 1.0.0\nr3 1.1.0\nr4 1.1.0\n');
    await roll('1.1.0');
    expect(containers()).toEqual(['r5 1.1.0', 'r6 1.1.0', 'worker 1.1.0']);
  });

  it('goes back to a version by its tag', async () => {
    writeFileSync(at('.env'), 'CORS_ORIGINS=https://shop.example\nPETSTORE_VERSION=1.1.0\n');
    await roll('0.9.0');
    expect(containers()).toEqual(['r3 0.9.0', 'r4 0.9.0', 'worker 0.9.0']);
    expect(readFileSync(at('.env'), 'utf8')).toBe(
      'CORS_ORIGINS=https://shop.example\nPETSTORE_VERSION=0.9.0\n',
    );
  });
});
