import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWhereFound } from '../support/describe-with.js';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

const blocks = [...readText('docs/systemd.md').matchAll(/```ini\n(.+?)```/gs)].map(([, text = '']) => text);
const unit = blocks.find((text) => text.startsWith('[Unit]')) ?? '';

describeWhereFound('systemd-analyze', 'the unit of docs/systemd.md', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;

  beforeAll(async () => {
    folder = await emptyFolder();
    writeFileSync(join(folder.path, 'petstore.service'), unit);
  });
  afterAll(() => folder.remove());

  const analyze = (...args: string[]) =>
    promisify(execFile)('systemd-analyze', [...args, join(folder.path, 'petstore.service')]);

  it('starts again for as long as PostgreSQL is down', () => {
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(unit).toMatch(/^RestartSec=2$/m);
    expect(unit).toMatch(/^Restart=on-failure$/m);
  });

  it('knows every line', async () => {
    const { stderr } = await analyze('verify', '--recursive-errors=no').catch(
      (error: unknown) => error as Error & { stderr: string },
    );
    expect(stderr).not.toMatch(/petstore\.service:\d+/); // other lines are about programs and units that are not on this machine
  });

  it('has an exposure below 4', async () => {
    const { stdout } = await analyze('security', '--offline=true');
    expect(Number(/exposure level for petstore\.service: (\S+)/.exec(stdout)?.[1])).toBeLessThan(4);
  });
});
