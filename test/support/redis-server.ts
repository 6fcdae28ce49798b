import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from './describe-with.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { PREFIX } from './prefix.js';

/** `describe` if `redis-server` is installed. */
export const describeWithRedis = describeWith.bind(undefined, 'redis-server');

/** Settings of a cluster node. Its bus needs a separate port, because the default (port + 10000) may be in use. */
export async function clusterSettings(): Promise<string[]> {
  const bus = String(await freePort());
  return ['--cluster-enabled', 'yes', '--cluster-port', bus, '--cluster-announce-ip', '127.0.0.1'];
}

/** A real Redis that a test may kill, freeze and restart. */
export class RedisServer {
  private child?: ChildProcess;
  private isFrozen = false;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: readonly string[],
    private readonly scheme: 'redis' | 'rediss',
    private readonly program: string,
  ) {}

  /** @param program `redis-server` or `valkey-server` */
  static async start(
    settings: readonly string[] = [],
    scheme: 'redis' | 'rediss' = 'redis',
    program = 'redis-server',
  ): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'petstore-redis-'));
    const server = new RedisServer(await freePort(), folder, settings, scheme, program);
    await server.launch();
    return server;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  /** Starts or restarts it, with the data it saved to disk. */
  async launch(): Promise<void> {
    const port =
      this.scheme === 'rediss'
        ? ['--port', '0', '--tls-port', String(this.port)]
        : ['--port', String(this.port)];
    const child = spawn(
      this.program,
      [
        ...port,
        '--bind',
        '127.0.0.1',
        '--dir',
        this.folder,
        '--save',
        '',
        '--appendonly',
        'yes',
        '--repl-diskless-sync-delay', // a replica gets its copy at once
        '0',
        ...this.settings,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        if (log.includes('Ready to accept connections')) resolve();
      });
      child.once('exit', () => {
        reject(new Error(log));
      });
    });
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Makes it lose its data while it is down. A node of a cluster still knows the others. */
  async forget(): Promise<void> {
    const files = (await readdir(this.folder)).filter((file) => file !== 'nodes.conf');
    for (const file of files) await rm(join(this.folder, file), { recursive: true });
  }

  /** Whether it can respond, which it cannot while killed or frozen. */
  get isRunning(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null && !this.isFrozen;
  }

  freeze(): Promise<void> {
    this.isFrozen = true;
    this.child?.kill('SIGSTOP');
    return Promise.resolve();
  }

  thaw(): Promise<void> {
    this.isFrozen = false;
    this.child?.kill('SIGCONT');
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.thaw();
    await this.end('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Runs one command with `redis-cli`. Returns its raw reply. */
  command(...args: string[]): string {
    const tls = this.scheme === 'rediss' ? ['--tls', '--insecure'] : [];
    return execFileSync('redis-cli', ['-p', String(this.port), ...tls, ...args], { encoding: 'utf8' }).trim();
  }

  /**
   * The commands that it gets from clients meanwhile, as `MONITOR` prints them, without those that scripts run.
   */
  async commandsDuring(work: () => Promise<unknown>): Promise<string[]> {
    const monitor = spawn('redis-cli', ['-p', String(this.port), 'MONITOR'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    monitor.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    try {
      await eventually(() => printed.startsWith('OK'));
      await work();
      this.command('ECHO', 'the work is done'); // Redis prints the commands in their order
      await eventually(() => printed.includes('the work is done'));
    } finally {
      monitor.kill();
    }
    return printed.split('\n').filter((line) => /^[\d.]+ \[\d+ (?!lua\])/.test(line));
  }

  /** Its replication state. Empty while it changes its role, because it then closes all connections. */
  get replication(): string {
    try {
      return this.command('INFO', 'replication');
    } catch {
      return '';
    }
  }

  /** How many addresses are currently counted. */
  addresses(): number {
    return Number(
      this.command(
        'EVAL',
        `local sum = 0
         for _, key in ipairs(redis.call('KEYS', '${PREFIX}:{addresses:*')) do sum = sum + redis.call('HLEN', key) end
         return sum`,
        '0',
      ),
    );
  }

  /** Moves the start of all windows back by the given time, because the clock of Redis cannot be moved. */
  age(milliseconds: number): void {
    this.command(
      'EVAL',
      `for _, key in ipairs(redis.call('KEYS', '${PREFIX}:{[0-9]*')) do redis.call('HINCRBY', key, 'm', -ARGV[1]) end
       for _, pattern in ipairs({ '${PREFIX}:{addresses:*', '${PREFIX}:{routes:*' }) do
         for _, key in ipairs(redis.call('KEYS', pattern)) do
           local fields = redis.call('HGETALL', key)
           for i = 1, #fields, 2 do
             local ending, rest = string.match(fields[i + 1], '^(%d+)(.*)$')
             redis.call('HSET', key, fields[i], string.format('%.0f', ending - ARGV[1]) .. rest)
           end
         end
       end`,
      '0',
      String(milliseconds),
    );
  }

  /** Moves a client's usage to another day. */
  moveDays(key: string, by: number): void {
    this.command('HINCRBY', key, 'd', String(by));
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
}
