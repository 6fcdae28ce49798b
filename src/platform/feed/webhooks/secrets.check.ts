import { type CheckResult, ok, warn } from '../../kernel/config/check-result.js';
import type { CheckedDatabase } from '../../data/database/checks/database-check.js';
import { DatabaseConfig } from '../../data/database/database.config.js';
import { SecretBox } from './delivery/secret-box.js';
import { WebhooksConfig } from './webhooks.config.js';

const BATCH = 5_000;
const PAGE = 'docs/webhooks.md#encrypted-secrets';

interface Stored {
  readonly id: string;
  readonly secret: Buffer;
  readonly previous: Buffer | null;
}

const SECRETS = `
  SELECT id::text, secret, CASE WHEN previous_ends_at > now() THEN previous_secret END AS previous
  FROM webhooks WHERE deleted_at IS NULL AND id > $1::bigint ORDER BY webhooks.id LIMIT ${BATCH}`;

/** Whether the keys of this process are those of the stored secrets: without them, every delivery fails. */
export async function checkWebhookSecrets(database: CheckedDatabase): Promise<CheckResult[]> {
  const { secretKeys } = database.config.inspect(WebhooksConfig);
  const { databaseUrl } = database.config.inspect(DatabaseConfig);
  if ([...database.config.problems.keys()].some((name) => name.startsWith('WEBHOOK_'))) return [];
  const { count, unreadable } = await countSecrets(database, new SecretBox(secretKeys));
  if (unreadable > 0) {
    const keys = secretKeys.length === 0 ? 'without WEBHOOK_SECRET_KEYS' : 'with WEBHOOK_SECRET_KEYS';
    return [
      warn(
        'webhooks',
        `${unreadable} of ${count} secrets of webhooks cannot be read ${keys}: their deliveries fail`,
        `Set the keys that they were encrypted with, too: see ${PAGE}.`,
      ),
    ];
  }
  if (secretKeys.length > 0) return [ok('webhooks', 'the secrets of webhooks are encrypted')];
  if (databaseUrl === undefined) return []; // the embedded PostgreSQL is for one machine
  const advice = 'Set WEBHOOK_SECRET_KEYS to a key made by openssl rand -base64 32.';
  return [warn('webhooks', 'the secrets of webhooks are stored in plain text', advice)];
}

async function countSecrets({ query }: CheckedDatabase, box: SecretBox) {
  let [count, unreadable] = [0, 0];
  const [table] = await query("SELECT WHERE to_regclass('webhooks') IS NOT NULL");
  for (let after = '0', isLast = table === undefined; !isLast;) {
    const rows = await query<Stored>(SECRETS, [after]);
    const secrets = rows.flatMap(({ secret, previous }) =>
      previous === null ? [secret] : [secret, previous],
    );
    count += secrets.length;
    unreadable += secrets.filter((secret) => !box.canDecrypt(secret)).length;
    after = rows.at(-1)?.id ?? after;
    isLast = rows.length < BATCH;
  }
  return { count, unreadable };
}
