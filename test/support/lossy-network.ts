import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { skipped } from './skipped.js';

/** Network namespaces need Linux, its superuser and `ip`. */
const MAY_DIVIDE = process.getuid?.() === 0 && spawnSync('ip', ['netns', 'list']).status === 0;
/** That of nobody, so the receiver drops the packet in silence, as a lost network does. */
const NOBODY = '02:00:00:00:00:01';

interface Link {
  /** Addresses of this machine and of the program. */
  readonly here: string;
  readonly there: string;
}

/**
 * A program on a machine of its own, as far as TCP can tell, between which and this one a test can make packets vanish. No end
 * learns of it: there is no RST, and no answer to anything.
 */
export class LossyNetwork {
  private isLost = false;

  private constructor(
    private readonly name: string,
    /** From this machine to the program, always open. */
    readonly open: Link,
    /** From the program to this machine. */
    readonly lossy: Link,
  ) {}

  static create(): LossyNetwork {
    const number = randomInt(1, 250);
    const name = `petstore-${process.pid}`;
    const network = new LossyNetwork(name, addresses(number, 0), addresses(number, 4));
    ip('netns', 'add', name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    for (const [kind, { here, there }] of Object.entries({ open: network.open, lossy: network.lossy })) {
      const device = network.deviceOf(kind);
      ip('link', 'add', device, 'type', 'veth', 'peer', 'name', kind, 'netns', name);
      ip('address', 'add', `${here}/30`, 'dev', device);
      ip('link', 'set', device, 'up');
      ip('-n', name, 'address', 'add', `${there}/30`, 'dev', kind);
      ip('-n', name, 'link', 'set', kind, 'up');
    }
    return network;
  }

  /** The words before a command that runs it there. */
  get launcher(): readonly string[] {
    return ['ip', 'netns', 'exec', this.name];
  }

  lose(): void {
    if (!this.isLost) this.neighbours('replace', 'lladdr', NOBODY, 'nud', 'permanent');
    this.isLost = true;
  }

  mend(): void {
    if (this.isLost) this.neighbours('delete');
    this.isLost = false;
  }

  remove(): void {
    for (const kind of ['open', 'lossy']) ip('link', 'delete', this.deviceOf(kind)); // with its other end
    ip('netns', 'delete', this.name);
  }

  private neighbours(action: string, ...args: string[]): void {
    ip('-n', this.name, 'neighbour', action, this.lossy.here, ...args, 'dev', 'lossy');
    ip('neighbour', action, this.lossy.there, ...args, 'dev', this.deviceOf('lossy'));
  }

  /** At most 15 characters. */
  private deviceOf(kind: string): string {
    return `ps${kind}${process.pid}`.slice(0, 15);
  }
}

const addresses = (network: number, first: number): Link => ({
  here: `10.231.${network}.${first + 1}`,
  there: `10.231.${network}.${first + 2}`,
});

function ip(...args: string[]): void {
  execFileSync('ip', args);
}

/** A suite that needs a network of its own. */
export function describeWithNetwork(name: string, suite: () => void): void {
  if (!MAY_DIVIDE) skipped(name, 'run it as root on Linux, with iproute2');
  (MAY_DIVIDE ? describe : describe.skip)(name, suite);
}
