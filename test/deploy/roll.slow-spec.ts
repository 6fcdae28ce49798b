import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { emptyFolder } from '../support/program.js';

const ROOT = join(import.meta.dirname, '../..');

describe('deploy/compose/roll.sh', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  const at = (name: string) => join(folder.path, name);
  const containers = () => readFileSync(at('containers'), 'utf8').trim().split('\n');
  const logged = () => readFileSync(at('containers.log'), 'utf8');
  const rollFor = (seconds: number, ...version: string[]) =>
    promisify(execFile)(at('deploy/compose/roll.sh'), version, {
      env: {
        PATH: `${at('bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
        CONTAINERS: at('containers'),
        ROLL_WATCH_SECONDS: String(seconds),
      },
    });
  const roll = (...version: string[]) => rollFor(1, ...version);

  beforeEach(async () => {
    folder = await emptyFolder();
    for (const name of ['bin', 'deploy/compose']) mkdirSync(at(name), { recursive: true });
    copyFileSync(join(ROOT, 'deploy/compose/roll.sh'), at('deploy/compose/roll.sh'));
    symlinkSync(join(ROOT, 'test/support/fake-docker.mjs'), at('bin/docker'));
    for (const name of ['docker-compose.yml', 'containers.log']) writeFileSync(at(name), '');
    writeFileSync(at('containers'), 'r1 1.0.0\nr2 1.0.0\nw3 1.0.0\n');
  });
  afterEach(() => folder.remove());

  it('stops the old replicas after the new ones are healthy, and says which version runs', async () => {
    await roll('1.1.0');
    expect(containers()).toEqual(['r4 1.1.0', 'r5 1.1.0', 'w6 1.1.0']);
    expect(readFileSync(at('.env'), 'utf8')).toMatch(/^#.*\nPETSTORE_VERSION=1\.1\.0\n$/);
    const log = logged();
    expect(log.indexOf('--no-deps -T secrets')).toBeLessThan(log.indexOf('petstore doctor'));
    expect(log.indexOf('compose run --rm --no-deps migrate')).toBeLessThan(log.indexOf('--scale petstore=4'));
    expect(log.indexOf('--scale petstore=4')).toBeLessThan(log.indexOf('start r4 r5 w6'));
    expect(log.indexOf('start r4 r5 w6')).toBeLessThan(log.indexOf('stop r1'));
  });

  it('writes the version through a symbolic link', async () => {
    writeFileSync(at('settings'), 'A=1\nPETSTORE_VERSION=1.0.0\n');
    symlinkSync('settings', at('.env'));
    await roll('1.1.0');
    expect(readFileSync(at('settings'), 'utf8')).toBe('A=1\nPETSTORE_VERSION=1.1.0\n');
  });

  it.each(['bad', 'dies', 'idle'])(
    'removes new replicas and a new worker that are %s, and has touched no old one',
    async (version) => {
      await expect(roll(version)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/roll\.sh: The new replicas do not \w+ healthy\./) as unknown,
      });
      expect(containers()).toEqual(['r1 1.0.0', 'r2 1.0.0', 'w3 1.0.0']);
      expect(logged()).not.toMatch(/^stop|--force-recreate/m);
      // What has the old version again is made by the next `docker compose up`.
      expect(logged()).toMatch(/^rm --force r4 r5 w6\ncompose rm --force migrate\n$/m);
    },
  );

  it.each(['1.1.0', 'bad'])(
    'has the number of replicas again after a run to %s that was interrupted',
    async (version) => {
      writeFileSync(
        at('containers'),
        `r1 1.0.0\nr2 1.0.0\nw3 1.0.0\nr4 ${version}\nr5 ${version}\nw6 ${version}\n`,
      );
      await roll('1.2.0');
      expect(containers()).toEqual(['r7 1.2.0', 'r8 1.2.0', 'w9 1.2.0']);
    },
  );

  it('removes the new replicas when it is interrupted', async () => {
    const running = rollFor(60, '1.1.0');
    await eventually(() => logged().includes('\ninspect'));
    await expect(rollFor(1, '1.2.0')).rejects.toMatchObject({
      stderr: expect.stringMatching(/^roll\.sh: Another roll\.sh is running\.$/m) as unknown,
    });
    running.child.kill();
    await expect(running).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /Interrupted\. The old replicas and the old worker keep running/,
      ) as unknown,
    });
    expect(containers()).toEqual(['r1 1.0.0', 'r2 1.0.0', 'w3 1.0.0']);
  });

  it('says that the old replicas run on if a migration fails', async () => {
    await expect(roll('unmigrated')).rejects.toMatchObject({
      stderr: 'roll.sh: The migrations have not run. The old replicas and the old worker keep running.\n',
    });
    expect(containers()).toEqual(['r1 1.0.0', 'r2 1.0.0', 'w3 1.0.0']);
    expect(logged()).not.toMatch(/compose up|rm --force migrate/);
  });

  it.each([
    [['gone'], /There is no image of gone\./],
    [[], /Git does not tell the version\./],
  ])('starts and builds nothing without a version: %j', async (version, stderr) => {
    await expect(roll(...version)).rejects.toMatchObject({
      stderr: expect.stringMatching(stderr) as unknown,
    });
    expect(containers()).toEqual(['r1 1.0.0', 'r2 1.0.0', 'w3 1.0.0']);
    expect(readdirSync(folder.path)).not.toContain('.env');
  });

  it('starts nothing with settings that the version refuses', async () => {
    await expect(roll('strict')).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /LOG_LEVEL is not a level\nroll\.sh: The settings are wrong\. Nothing/,
      ) as unknown,
    });
    expect(logged()).not.toMatch(/compose (up|create)|migrate$|^stop/m);
  });

  it('goes back to a version by its tag', async () => {
    writeFileSync(at('.env'), 'PETSTORE_VERSION=1.1.0\nCORS_ORIGINS=https://shop.example');
    await roll('0.9.0');
    expect(containers()).toEqual(['r4 0.9.0', 'r5 0.9.0', 'w6 0.9.0']);
    expect(readFileSync(at('.env'), 'utf8')).toBe(
      'CORS_ORIGINS=https://shop.example\nPETSTORE_VERSION=0.9.0\n',
    );
  });
});
