import { PLANS } from '../../auth/plans.js';
import { type CatalogEntry, OTHER_CODES } from '../error-catalog/error-catalog.js';
import type { TagObject } from './schemas.js';

const number = (value: number): string => value.toLocaleString('en');

const planRows = Object.entries(PLANS).map(([plan, limits]) =>
  limits === 'custom'
    ? `| ${plan} | the key's own | the key's own |`
    : `| ${plan} | ${number(limits.perMinute)} | ${number(limits.perDay)} |`,
);

/** The guides. By convention they are tags without operations. */
export const guides = (base: string, errors: readonly CatalogEntry[]): TagObject[] => [
  guide(
    'Authentication',
    `
Send your API key with every request: \`Authorization: Bearer <API_KEY>\`. A missing or invalid key gets 401.

An operator creates keys with \`petstore keys create\`; each key is shown only once. The first \`npm start\` of a clone creates
a demo key for each plan, prints them, and keeps them in \`.petstore/demo-keys.json\`.

A key may be limited to some scopes. Each operation names the scope it needs; a key without it gets 403.
`,
  ),
  guide(
    'Rate limits',
    `
Each plan has a limit per minute and one per UTC day. The minute starts with your first request.

| Plan | Per minute | Per day |
|---|---:|---:|
${planRows.join('\n')}

Every response reports the window with the fewest requests left: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and
\`X-RateLimit-Reset\` (Unix time). \`GET /rate-limit\` reports both windows and is free.

Beyond a limit you get 429. Wait for the seconds in \`Retry-After\`, then back off exponentially. A key that keeps sending
requests after 429 is temporarily banned.
`,
  ),
  guide(
    'Pagination',
    `
A list returns a bare array. While there are more items, the \`Link\` header has the URL of the next page with
\`rel="next"\`. Follow it unchanged: its \`cursor\` is opaque and only valid with the same filter. The last page has no
such link.
`,
  ),
  guide(
    'Idempotency',
    `
A response can be lost after the work was done. Send the request again with the same \`Idempotency-Key\`: for 24 hours
you get the first response again, with \`Idempotent-Replayed: true\`, and the work is done only once. Use a new key for each
new request. Operations that accept the header list it among their parameters.
`,
  ),
  guide(
    'Conditional requests',
    `
Every 200 to a \`GET\` has an \`ETag\`. Send it in \`If-None-Match\`: while the content is unchanged you get 304 without a
body. It still counts as a request.
`,
  ),
  guide(
    'Deprecation',
    `
Operations marked experimental or beta may still change. A deprecated operation announces its removal in the headers
\`Deprecation\`, \`Sunset\` and \`Link\`, which names its successor. From the date in \`Sunset\` on it returns 410.
`,
  ),
  guide(
    'Numbers',
    `
Identifiers are signed 64-bit integers, sent as JSON numbers. JavaScript rounds integers above 2^53: use a JSON
parser that keeps every digit, or the TypeScript client, which returns them as \`bigint\`.
`,
  ),
  guide(
    'Errors',
    `
Every operation may also return 401, 406, 429, 500 and 503. Every error response is \`{code, message, status}\`. Branch on
\`code\`, show \`message\`, and quote the \`X-Request-Id\` when you ask for help. A \`validation_failed\` adds \`details\`, one
entry for each invalid value. With \`Accept: application/problem+json\` an error is an RFC 9457 problem.

${codesByStatus(errors, `${base}/docs/errors`)}

${OTHER_CODES}
`,
  ),
];

/** Joins the lines of each paragraph, because some renderers show line breaks. */
const guide = (name: string, text: string): TagObject & { 'x-traitTag': true } => ({
  name,
  'x-traitTag': true,
  description: text.trim().replace(/(?<![|\n])\n(?![|\n-])/g, ' '),
});

/** @param catalog URL of the error catalogue */
function codesByStatus(errors: readonly CatalogEntry[], catalog: string): string {
  const statuses = new Set(errors.map(({ example }) => example.status));
  const rows = Array.from(statuses, (status) => {
    const codes = errors
      .filter(({ example }) => example.status === status)
      .map(({ example }) => example.code);
    return `| ${status} | ${codes.map((code) => `[\`${code}\`](${catalog}#${code})`).join(', ')} |`;
  });
  return ['| Status | Codes |', '|---|---|', ...rows].join('\n');
}
