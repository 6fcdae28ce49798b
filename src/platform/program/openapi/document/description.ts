import { planEntries } from '../../../access/plans/plans.js';
import { service } from '../../../kernel/config/service.js';

/**
 * The introduction of the document, in CommonMark: what all operations have in common.
 * @param base address without `/v1`
 * @param hasWebhooks whether the service sends events, too
 */
export const description = (base: string, hasWebhooks: boolean): string =>
  [
    `${service().description} Requests and responses are \`application/json\`. ` +
      `[Errors](${base}/docs/errors) · [OpenAPI document](${base}/openapi.yaml)`,
    collapsed(
      'Conventions',
      Object.entries(topics(base, hasWebhooks)).map(([title, text]) => section(title, text)),
    ),
  ].join('\n\n');

/** Opens on a click in the Swagger UI. */
const collapsed = (title: string, sections: readonly string[]): string =>
  ['<details>', `<summary>${title}</summary>\n`, ...sections, '</details>'].join('\n');

/** The lines of a paragraph are joined, because the page shows line breaks. */
const section = (title: string, text: string): string =>
  `### ${title}\n\n${text.trim().replace(/(?<![|\n])\n(?![|\n])/g, ' ')}\n`;

const planRows = (): string[] =>
  planEntries().map(([plan, { perMinute, perDay }]) =>
    perMinute === 'custom'
      ? `| ${plan} | as agreed | as agreed |`
      : `| ${plan} | ${perMinute.toLocaleString('en')} | ${perDay.toLocaleString('en')} |`,
  );

const topics = (base: string, hasWebhooks: boolean): Readonly<Record<string, string>> => ({
  Authentication: `
Send your API key with every request: \`Authorization: Bearer <API_KEY>\`. A missing or invalid key gets 401. A key may be
limited to some scopes: each operation names the scope it needs, and a key without it gets 403.`,

  Pages: `
A list returns a bare array of at most \`limit\` items. While there are more, the \`Link\` header has the URL of the next page
with \`rel="next"\`. Follow it unchanged: its \`cursor\` is opaque and only valid with the same filter and order.`,

  Errors: `
Every error response is \`{code, message, status}\`. Branch on \`code\`: it keeps its meaning, and [each is
described](${base}/docs/errors). New codes may be added: treat an unknown one like its status. Show \`message\` to people, and
quote the \`X-Request-Id\` when you ask for help. \`validation_failed\` adds \`details\`, one entry for each invalid value.

Any operation may return 400, 401, 429, 500 and 503.`,

  Quotas: `
Each plan has a limit per minute, which starts with your first request, and one per UTC day.

| Plan | Per minute | Per day |
|---|---:|---:|
${planRows().join('\n')}

Every response reports the window with the fewest requests left in \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and
\`X-RateLimit-Reset\` (Unix time). \`GET /rate-limit\` reports both windows; 60 of these requests a
minute are free.

Beyond a limit you get 429. Wait for the seconds in \`Retry-After\`, then back off exponentially. A key that keeps sending
requests after 429 is banned for a while.`,

  Idempotency: `
A response can be lost after the work was done. Send the request again with the same \`Idempotency-Key\`: for 24 hours you get
the first response again, with \`Idempotent-Replayed: true\`, and the work is done only once. Use a new key for each new
request. Operations that accept the header list it among their parameters.`,

  Events: hasWebhooks
    ? `
Every change is an event. Read them in order with \`GET /events\`, or have them sent to your URL with \`POST /webhooks\`, signed
as [Standard Webhooks](https://www.standardwebhooks.com) describes. A delivery may arrive more than once and out of order.`
    : `
Every change is an event. Read them in order with \`GET /events\`.`,

  'Versions and numbers': `
The \`ETag\` of a response is its version: \`If-None-Match\` gets 304 without a body while nothing has changed, and \`If-Match\`
lets a change fail with 412 if someone else was first. On an operation that takes \`If-Match\`, \`If-None-Match\` is its opposite.

An operation marked experimental or beta may still change. A deprecated one announces its removal in \`Deprecation\`,
\`Sunset\` and \`Link\`, and returns 410 from the date in \`Sunset\` on.

Identifiers are signed 64-bit integers, sent as JSON numbers. JavaScript rounds integers above 2^53: use a JSON parser that
keeps every digit.`,
});
