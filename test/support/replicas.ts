import { Balancer } from './balancer.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { emptyFolder, Program, SERVICE } from './program.js';

/** Replicas with a common database behind a load balancer. */
export class Replicas {
  private readonly programs = new Map<number, Program>();

  private constructor(
    readonly balancer: Balancer,
    private readonly databaseUrl: string,
    private readonly folder: Awaited<ReturnType<typeof emptyFolder>>,
    private readonly env: Record<string, string>,
  ) {}

  /**
   * @param service the built program
   * @param env further settings of each
   */
  static async start(
    count: number,
    databaseUrl: string,
    service = SERVICE,
    env: Record<string, string> = {},
  ): Promise<Replicas> {
    const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
    const balancer = await Balancer.before(...ports);
    const replicas = new Replicas(balancer, databaseUrl, await emptyFolder(), env);
    for (const port of ports) await replicas.launch(port, service);
    await replicas.areReady();
    return replicas;
  }

  /**
   * Restarts the replicas one after the other, each with SIGTERM and a new start after it has ended.
   * @param before called before each stop
   * @param ended receives each stopped program
   */
  async restart(
    before: () => Promise<void>,
    ended: (program: Program) => Promise<void>,
    service = SERVICE,
  ): Promise<void> {
    for (const [port, program] of [...this.programs]) {
      await before();
      program.signal('SIGTERM');
      await ended(program);
      await this.launch(port, service);
      await this.areReady();
    }
  }

  /** Ends the first replica without a warning, and starts it again, as a supervisor does. */
  async lose(end: (program: Program) => void, service = SERVICE): Promise<Program> {
    const [first] = this.programs;
    if (!first) throw new Error('There is none.');
    const [port, program] = first;
    end(program);
    await program.ended;
    await this.launch(port, service);
    await this.areReady();
    return program;
  }

  async stop(): Promise<void> {
    this.balancer.remove();
    for (const program of this.programs.values()) program.signal('SIGKILL');
    await Promise.all([...this.programs.values()].map(({ ended }) => ended));
    await this.folder.remove();
  }

  private areReady(): Promise<void> {
    const seen = () => [this.balancer.health, ...[...this.programs.values()].map(lastOutput)];
    return eventually(() => this.balancer.readyReplicas === this.programs.size, undefined, seen);
  }

  private async launch(port: number, service: string): Promise<void> {
    const env = {
      DATABASE_URL: this.databaseUrl,
      PORT: String(port),
      SHUTDOWN_GRACE_SECONDS: '3',
      ...this.env,
    };
    const program = new Program(service, [], { cwd: this.folder.path, env });
    this.programs.set(port, program);
    await program.prints(/listens/);
  }
}

const lastOutput = ({ stdout, stderr }: Program) => ({
  stdout: stdout.slice(-2_000),
  stderr: stderr.slice(-2_000),
});
