import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skipped } from './skipped.js';

/** Mounting needs Linux and its superuser. */
const MAY_MOUNT = process.platform === 'linux' && process.getuid?.() === 0;

/** A disk of its own, in memory, that a test fills. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** @param size in MiB */
  static mount(size: number): SmallDisk {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=0755`, 'tmpfs', folder]);
    chmodSync(folder, 0o755);
    return new SmallDisk(folder);
  }

  /** Leaves no byte free. */
  fill(): void {
    try {
      for (let i = 0; ; i++) writeFileSync(join(this.folder, `filler-${i}`), Buffer.alloc(1 << 20));
    } catch {
      // it is full
    }
  }

  free(): void {
    execFileSync('sh', ['-c', 'rm -f "$0"/filler-*', this.folder]);
  }

  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A suite that needs a disk of its own. */
export function describeWithDisk(name: string, suite: () => void): void {
  if (!MAY_MOUNT) skipped(name, 'run it as root on Linux');
  (MAY_MOUNT ? describe : describe.skip)(name, suite);
}
