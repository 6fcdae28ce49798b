import { setTimeout } from 'node:timers/promises';
import { eventually } from './eventually.js';
import { Petstore } from './petstore.js';
import { type ServiceProcess, ServiceProcesses } from './service-process.js';
import { PREFIX } from './prefix.js';

const CLIENTS_PER_PROCESS = 5;
/**
 * Milliseconds between the requests of a client. Without a pause, a slow machine would have no time left for what is
 * tested.
 */
const PACE = 60;

/** How often bursts are repeated. `.ci/run all` asks for fewer. */
export const BURST_ROUNDS = Number(process.env.BURST_ROUNDS ?? 20);

export interface FleetKey {
  readonly id: string;
  readonly secret: string;
}

/** Sends requests of one key until it is stopped. Their path does not exist, so each is counted but cheap. */
export class QuotaLoad {
  admitted = 0;
  refused = 0;
  /** Responses that are neither. */
  readonly others: number[] = [];
  private isOver = false;
  private readonly clients: Promise<void>[];

  constructor(urls: readonly string[], secret: string) {
    this.clients = Array.from({ length: CLIENTS_PER_PROCESS }, () =>
      urls.map((url) => this.client(`${url}/v1/nothing`, secret)),
    ).flat();
  }

  /** Resolves after some more responses. */
  async goesOn(times = 20): Promise<void> {
    const before = this.sent;
    await eventually(() => this.sent >= before + times);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  private get sent(): number {
    return this.admitted + this.refused + this.others.length;
  }

  private async client(url: string, secret: string): Promise<void> {
    while (!this.isOver) {
      const response = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } });
      await response.arrayBuffer();
      if (response.status === 404) this.admitted += 1;
      else if (response.status === 429) this.refused += 1;
      else this.others.push(response.status);
      await setTimeout(PACE);
    }
  }
}

/** Processes of the service that share their quotas. */
export class QuotaFleet {
  private constructor(
    private readonly petstore: Petstore,
    private readonly processes: ServiceProcesses,
    readonly services: readonly ServiceProcess[],
  ) {}

  static async start(size: number, env: Record<string, string>): Promise<QuotaFleet> {
    const petstore = await Petstore.start();
    const processes = await ServiceProcesses.on(petstore.databaseUrl, env);
    const services = await Promise.all(Array.from({ length: size }, () => processes.start()));
    const fleet = new QuotaFleet(petstore, processes, services);
    await fleet.isWhole();
    return fleet;
  }

  /** Creates a key with a daily limit. */
  async key(perDay: number): Promise<FleetKey> {
    const secret = await this.petstore.key('enterprise', { perMinute: 1_000_000, perDay });
    const [row] = await this.petstore.query<{ id: string }>('SELECT max(id)::text AS id FROM api_keys');
    return { id: row?.id ?? '', secret };
  }

  /** A key's recorded requests, over all processes. */
  async recorded({ id }: FleetKey): Promise<number> {
    const [row] = await this.petstore.query<{ requests: string }>(
      'SELECT sum(requests)::text AS requests FROM api_key_usage_by_writer WHERE key_id = $1',
      [id],
    );
    return Number(row?.requests ?? 0);
  }

  /** Starts sending requests with a key to every process. */
  load({ secret }: FleetKey): QuotaLoad {
    return new QuotaLoad(
      this.services.map(({ url }) => url),
      secret,
    );
  }

  /** Sends requests of a key to every process, all at once. @returns their statuses */
  burst(secret: string, perProcess: number): Promise<number[]> {
    const urls = this.services.flatMap(({ url }) => Array.from({ length: perProcess }, () => url));
    return Promise.all(
      urls.map(async (url) => {
        const response = await fetch(`${url}/v1/nothing`, { headers: { Authorization: `Bearer ${secret}` } });
        await response.arrayBuffer();
        return response.status;
      }),
    );
  }

  /** Waits until every process counts in Redis. */
  async isWhole(): Promise<void> {
    await eventually(async () => (await Promise.all(this.services.map(isOk))).every((one) => one));
  }

  /** How often the processes have lost Redis or a part of it. */
  async losses(): Promise<number> {
    const counts = await Promise.all(
      this.services.map(async ({ url }) => {
        const text = await (await fetch(`${url}/metrics`)).text();
        return Number(new RegExp(String.raw`^${PREFIX}_redis_lost_total (\d+)`, 'm').exec(text)?.[1]);
      }),
    );
    return counts.reduce((a, b) => a + b);
  }

  async stop(): Promise<void> {
    await this.processes.stop();
    await this.petstore.stop();
  }
}

async function isOk({ url }: ServiceProcess): Promise<boolean> {
  const { status } = (await (await fetch(`${url}/health/ready`)).json()) as { status: string };
  return status === 'ok';
}
