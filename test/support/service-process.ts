import { emptyFolder, Program, SERVICE } from './program.js';

/** The built service in a separate process. */
export interface ServiceProcess {
  readonly program: Program;
  readonly url: string;
}

/** Processes of the service that share a database. */
export class ServiceProcesses {
  private readonly started: ServiceProcess[] = [];

  private constructor(
    private readonly databaseUrl: string,
    private readonly folder: Awaited<ReturnType<typeof emptyFolder>>,
    private readonly env: Record<string, string>,
  ) {}

  /** @param env settings of every process, in addition to `DATABASE_URL` and `PORT` */
  static async on(databaseUrl: string, env: Record<string, string> = {}): Promise<ServiceProcesses> {
    return new ServiceProcesses(databaseUrl, await emptyFolder(), env);
  }

  /** Retries, because on a busy machine a start may give up waiting for the database. */
  async start(tries = 3): Promise<ServiceProcess> {
    const env = { DATABASE_URL: this.databaseUrl, PORT: '0', LOG_LEVEL: 'warn', ...this.env };
    const program = new Program(SERVICE, [], { cwd: this.folder.path, env });
    try {
      await program.prints(/listens at (\S+),/);
    } catch (error) {
      if (tries > 1) return this.start(tries - 1);
      throw error;
    }
    const service = { program, url: /listens at (\S+),/.exec(program.stdout)?.[1] ?? '' };
    this.started.push(service);
    return service;
  }

  async stop(): Promise<void> {
    await Promise.all(this.started.map((service) => end(service, 'SIGTERM')));
    await this.folder.remove();
  }
}

export async function end({ program }: ServiceProcess, signal: NodeJS.Signals): Promise<void> {
  program.signal(signal);
  await program.ended;
}

/** Sends a request that may be repeated. */
export const postOnce = (
  { url }: ServiceProcess,
  path: string,
  { key, idempotencyKey }: { readonly key: string; readonly idempotencyKey: string },
  body: object,
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify(body),
  });
