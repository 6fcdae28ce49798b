import { symlinkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { openEmbeddedPostgres } from './embedded-postgres.js';

let scratch: string;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'petstore-unusable-'));
  writeFileSync(join(scratch, 'file'), '');
  symlinkSync('loop', join(scratch, 'loop'));
});
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

const itOnLinux = process.platform === 'linux' ? it : it.skip;
const refusal = async (folder: string) =>
  openEmbeddedPostgres(folder, { lock: 'exclusive' }).then(
    () => 'opened',
    (error: unknown) => (error as Error).message,
  );

describe('a data folder that cannot be used', () => {
  it.each([
    ['file', 'a file is where a folder should be'],
    ['file/below', 'a file is where a folder should be'],
    ['loop/below', 'its symbolic links lead in a circle'],
    ['x'.repeat(300), 'its path is too long'],
  ])('says what to do about it: %s', async (name, remedy) => {
    const folder = join(scratch, name);
    expect(await refusal(folder)).toMatch(
      new RegExp(`^The data folder ${folder} cannot be used \\(.*\\): ${remedy}`),
    );
  });

  // The recursive mkdir of Node.js never ends here.
  itOnLinux('is refused where no folder can be made', async () => {
    expect(await refusal('/proc/petstore/data')).toContain('no folder can be made there');
  });

  it.each([
    ['ENOSPC', 'ENOSPC: no space left on device, mkdir', 'the disk is full'],
    ['', 'FATAL:  could not extend file "base/1/2691": No space left on device', 'the disk is full'],
    ['53100', 'could not extend file', 'the disk is full'],
    ['EDQUOT', 'EDQUOT: disk quota exceeded, open', 'the disk quota'],
    ['EROFS', 'EROFS: read-only file system, mkdir', 'its file system is read-only'],
    ['EACCES', 'EACCES: permission denied, mkdir', 'make it, and what is in it, readable and writable'],
    ['EPERM', 'EPERM: operation not permitted, chmod', 'make it, and what is in it, readable and writable'],
    ['', 'initdb: error: could not access directory: Permission denied', 'make it, and what is in it'],
    ['EMFILE', 'EMFILE: too many open files, open', 'too many files are open'],
    ['EIO', 'EIO: i/o error, read', 'the disk cannot be read'],
    ['', 'database files are incompatible with server', 'move it away'],
  ])('names the remedy of %s: %s', (code, reason, remedy) => {
    const { message } = EmbeddedPostgresError.unusable('/data', Object.assign(new Error(reason), { code }));
    expect(message).toContain(`cannot be used (${reason}): ${remedy}`);
    expect(message).toMatch(/, or set PETSTORE_DATA_DIR to another folder\.$/);
  });
});
