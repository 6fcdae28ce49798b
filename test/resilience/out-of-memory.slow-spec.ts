import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { petstore } from '../support/command-line.js';
import type { Program } from '../support/program.js';
import { Replicas } from '../support/replicas.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const CLIENTS = 12;
/** Milliseconds. */
const PAUSE = 20;
const LATENCY = 100;
/** Requests to one endpoint at once. */
const AT_ONCE = 8;

const ENDS: readonly (readonly [string, (program: Program) => void])[] = [
  [
    'that the kernel kills because memory is short',
    (program) => {
      program.signal('SIGKILL');
    },
  ],
  [
    'that gets no more memory',
    ({ pid }) => {
      execFileSync('prlimit', ['--pid', String(pid), '--as=1000000']);
    },
  ],
];

describeWith('prlimit', 'one of two replicas, under load with Idempotency-Keys,', () => {
  let database: TestDatabase;
  let replicas: Replicas;
  let receiver: WebhookReceiver;
  let key: string;

  const query = (sql: string) => withClient(database.url, (client) => client.query(sql));

  beforeAll(async () => {
    [database, receiver] = await Promise.all([createTestDatabase(), WebhookReceiver.start()]);
    replicas = await Replicas.start(2, database.url, undefined, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
    const limits = ['--per-minute', '1000000', '--per-day', '10000000', '--json'];
    const args = ['keys', 'create', '--plan', 'enterprise', '--name', 'load', ...limits];
    ({ key } = JSON.parse((await petstore(args, { DATABASE_URL: database.url })).stdout) as { key: string });
    expect(await post('/v1/webhooks', { url: receiver.url })).toMatchObject({ status: 201 });
  });
  afterAll(async () => {
    await replicas.stop();
    receiver.stop();
    await database.drop();
  });

  const post = async (path: string, body: object, idempotencyKey?: string) => {
    const response = await fetch(`http://127.0.0.1:${replicas.balancer.port}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };

  /** Each of its clients repeats a creation, with the same key, until it is confirmed. */
  class Creations {
    sent = 0;
    readonly failures: string[] = [];
    /** The id of the pet by its name. */
    readonly confirmed = new Map<string, number>();
    private running = true;
    private readonly clients = Array.from({ length: CLIENTS }, () => this.client());

    async stop(): Promise<void> {
      this.running = false;
      await Promise.all(this.clients);
    }

    private async client(): Promise<void> {
      while (this.running) await this.create(randomUUID());
    }

    private async create(name: string): Promise<void> {
      for (;;) {
        this.sent++;
        const outcome = await post('/v1/pets', { name, categoryId: 7 }, name).catch(
          (error: unknown) => error,
        );
        await sleep(PAUSE);
        const { status, text } = outcome as { status?: number; text?: string };
        if (status === 201) {
          this.confirmed.set(name, (JSON.parse(text ?? '') as { id: number }).id);
          return;
        }
        this.failures.push(`${status} ${status === undefined ? String(outcome) : text}`);
      }
    }
  }

  it.each(ENDS)(
    '%s, costs retries, but no pet and no webhook is lost, and no pet doubled',
    async (_, end) => {
      receiver.received.length = 0;
      receiver.respond = (response) => void setTimeout(() => response.writeHead(204).end(), LATENCY); // so some are on their way
      const creations = new Creations();
      await eventually(() => creations.confirmed.size > 100 && receiver.received.length > 50);
      await replicas.lose(end);
      const before = creations.confirmed.size;
      await eventually(() => creations.confirmed.size > before + 100);
      await creations.stop();

      const unexpected = creations.failures.filter(
        (failure) => !/^502 |^409 .*idempotency_in_progress/.test(failure),
      );
      expect(unexpected).toEqual([]);
      const names = [...creations.confirmed.keys()];
      const { rows } = await query(`SELECT name, count(*)::int AS count FROM pets GROUP BY name`);
      const counts = new Map(rows.map(({ name, count }: { name: string; count: number }) => [name, count]));
      expect(names.filter((name) => counts.get(name) !== 1)).toEqual([]);

      const idsOf = new Map<string, unknown[]>();
      const isDelivered = () => {
        for (const { headers, body } of receiver.received.splice(0)) {
          const { name } = (JSON.parse(body) as { data: { name: string } }).data;
          idsOf.set(name, [...(idsOf.get(name) ?? []), headers['webhook-id']]);
        }
        return names.every((name) => idsOf.has(name));
      };
      await eventually(isDelivered);
      const pending = `SELECT FROM webhook_deliveries WHERE state = 'pending'`;
      await eventually(async () => (await query(pending)).rowCount === 0);
      isDelivered();
      expect(names.filter((name) => new Set(idsOf.get(name)).size > 1)).toEqual([]);
      const again = [...idsOf.values()].flat().length - idsOf.size;
      expect(again).toBeLessThanOrEqual(AT_ONCE);
    },
  );
});
