import type { Command } from 'commander';
import type { Int64 } from '../../kernel/json/int64.js';
import { parseInt64 } from '../../kernel/json/int64.js';
import { StartupError, UsageError } from '../../kernel/config/startup-error.js';
import type { CommandDatabase } from '../../data/database/command-database.js';
import { ApiKey } from '../../access/keys/api-key.entity.js';
import { errorText } from './webhook-delivery.entity.js';
import { Webhook } from './webhook.entity.js';
import {
  type Retried,
  type ShownAttempt,
  WebhookOperations,
  type WebhookOverview,
} from './webhook-operations.js';
import { type Json, print, table } from '../../kernel/terminal/print.js';
import { service } from '../../kernel/config/service.js';

/** `petstore webhooks …` */
export function addWebhooksCommand(program: Command, database: CommandDatabase): void {
  const webhooks = program.command('webhooks').description('Manage the webhooks of all keys.');
  webhooks
    .command('list')
    .description('List all webhooks, with their pending and failed deliveries, and the last error of those.')
    .option('--json', 'print a JSON array')
    .action((options: Json) => list(database, options));
  webhooks
    .command('show <id>')
    .description('Show a webhook, and its last 20 attempts with their errors.')
    .option('--json', 'print one JSON object')
    .action((id: string, options: Json) => show(database, id, options));
  webhooks
    .command('disable <id>')
    .description('Stop sending to a webhook, such as one that misbehaves. Its owner cannot enable it.')
    .option('--json', 'print one JSON object')
    .action((id: string, options: Json) => disable(database, id, options));
  webhooks
    .command('enable <id>')
    .description('Send new events to a webhook again.')
    .option('--json', 'print one JSON object')
    .action((id: string, options: Json) => enable(database, id, options));
  webhooks
    .command('retry [id]')
    .description(
      'Send everything again that has failed, and now what waits for its next attempt: of one webhook, or of all.',
    )
    .option('--json', 'print one JSON object; without an id, a JSON array')
    .action((id: string | undefined, options: Json) => retry(database, id, options));
}

async function list(database: CommandDatabase, { json }: Json): Promise<void> {
  const all = await withWebhooks(database, (webhooks) => webhooks.list());
  print(json, all, () => (all.length === 0 ? 'There are no webhooks.' : webhooksTable(all)));
}

async function show(database: CommandDatabase, id: string, { json }: Json): Promise<void> {
  const number = webhookId(id);
  const webhook = await withWebhooks(database, (webhooks) => webhooks.show(number));
  existing(id, webhook);
  const { attempts } = webhook;
  print(json, webhook, () =>
    [webhooksTable([webhook]), attempts.length === 0 ? 'No attempt was made.' : attemptsTable(attempts)].join(
      '\n\n',
    ),
  );
}

async function disable(database: CommandDatabase, id: string, { json }: Json): Promise<void> {
  const number = webhookId(id);
  existing(id, await withWebhooks(database, (webhooks) => webhooks.disable(number)));
  print(json, { id: number, state: 'disabled' }, () => `Webhook ${id} is disabled.`);
}

async function enable(database: CommandDatabase, id: string, { json }: Json): Promise<void> {
  const number = webhookId(id);
  const enabled = await withWebhooks(
    database,
    async (webhooks) => (await webhooks.enable(number)) && webhooks.show(number),
  );
  existing(id, enabled);
  const { obstacle } = enabled;
  const but = obstacle === null ? '' : `, but nothing is sent to it: ${KEY_OBSTACLE}`;
  print(json, { id: number, state: 'enabled', obstacle }, () => `Webhook ${id} is enabled${but}.`);
}

async function retry(database: CommandDatabase, id: string | undefined, { json }: Json): Promise<void> {
  const number = id === undefined ? undefined : webhookId(id);
  const all = await withWebhooks(database, (webhooks) => webhooks.retry(number));
  if (id === undefined) {
    print(json, all, () => retriedText(all));
    return;
  }
  const [webhook] = all;
  existing(id, webhook !== undefined);
  if (webhook.obstacle === 'disabled')
    throw new StartupError(
      `Webhook ${id} is disabled. First run ${service().program} webhooks enable ${id}.`,
    );
  if (webhook.obstacle === 'key')
    throw new StartupError(`Nothing is sent to webhook ${id}: ${KEY_OBSTACLE}.`);
  const { retried } = webhook;
  print(json, { id: number, retried }, () => `${deliveries(retried)} of webhook ${id} will be sent again.`);
}

const KEY_OBSTACLE = 'its key is revoked, has expired or lacks a scope';

function retriedText(all: readonly Retried[]): string {
  const sum = all.reduce((total, { retried }) => total + retried, 0);
  const skipped = all.filter(({ obstacle }) => obstacle !== null).map(({ id }) => id);
  const left =
    skipped.length === 0
      ? ''
      : `\nNothing is sent to webhooks that are disabled, or whose key is revoked, has expired or lacks a scope: ${skipped.join(', ')}.`;
  return `${deliveries(sum)} of all webhooks will be sent again.${left}`;
}

const deliveries = (count: number): string => (count === 1 ? '1 delivery' : `${count} deliveries`);

function withWebhooks<T>(
  database: CommandDatabase,
  work: (webhooks: WebhookOperations) => Promise<T>,
): Promise<T> {
  return database.use([Webhook, ApiKey], (dataSource) => work(new WebhookOperations(dataSource)));
}

function webhookId(id: string): Int64 {
  const number = parseInt64(id);
  if (number !== undefined) return number;
  throw new UsageError(
    `${JSON.stringify(id)} is not the id of a webhook. ${service().program} webhooks list shows all.`,
  );
}

function existing(id: string, found: unknown): asserts found {
  if (found) return;
  throw new StartupError(
    `There is no webhook with the id ${id}. ${service().program} webhooks list shows all.`,
  );
}

function stateText({ state, disabledReason, obstacle }: WebhookOverview): string {
  const why = obstacle === 'key' ? 'its key cannot receive' : disabledReason;
  return why === null ? state : `${state} (${why})`;
}

const webhooksTable = (all: readonly WebhookOverview[]): string =>
  table(
    ['ID', 'KEY', 'URL', 'TYPES', 'STATE', 'FAILING SINCE', 'PENDING', 'FAILED', 'LAST ERROR'],
    all.map((webhook) => [
      String(webhook.id),
      String(webhook.keyId),
      webhook.url,
      webhook.types.length === 0 ? 'all' : webhook.types.join(', '),
      stateText(webhook),
      webhook.failingSince === null ? '' : `${webhook.failingSince.toISOString().slice(0, 19)}Z`,
      String(webhook.pending),
      String(webhook.failed),
      errorText(webhook.lastError ?? undefined),
    ]),
  );

const attemptsTable = (all: readonly ShownAttempt[]): string =>
  table(
    ['AT', 'DELIVERY', 'EVENT', 'TYPE', 'STATE', 'MILLISECONDS', 'STATUS', 'ERROR'],
    all.map(({ at, deliveryId, eventId, type, state, milliseconds, status, error }) => [
      at,
      String(deliveryId),
      String(eventId ?? ''),
      type,
      state,
      String(milliseconds),
      String(status ?? ''),
      error ?? '',
    ]),
  );
