import { PLANS } from '../../auth/plans.js';

const number = (value: number): string => value.toLocaleString('en');

const planRows = Object.entries(PLANS).map(([plan, limits]) =>
  limits === 'custom'
    ? `| ${plan} | custom | custom |`
    : `| ${plan} | ${number(limits.perMinute)} | ${number(limits.perDay)} |`,
);

/** The introduction that a reader of the document and of the Swagger UI sees first. CommonMark. */
export const DESCRIPTION = `
The inventory of a pet store: list animals, add one, see what was ordered. Requests and answers are \`application/json\`.

## Authentication

Send your API key with every request: \`Authorization: Bearer <API_KEY>\`. Without a valid one the answer is 401. A key may be
limited to some scopes: what it has none for is 403, and each operation names the scope that it needs.

## Quotas

A plan grants so many requests in a minute, which starts with your first one, and so many in a UTC day:

| Plan | Per minute | Per day |
|---|---:|---:|
${planRows.join('\n')}

Every answer says where you stand: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix
time) report the window with the fewest requests left, and \`GET /rate-limit\` both, free of charge. Beyond the limit the answer is 429. Wait for the seconds in
\`Retry-After\`, then back off exponentially: a key that goes on hammering may be banned for a while.

## Pages

A list answers with a bare array. While more follows, the \`Link\` header holds the address of the next page, with
\`rel="next"\`; follow it as it is. A \`cursor\` is opaque and belongs to the filter it was made with.

## Saving work

Every 200 to a GET has an \`ETag\`. Send it back in \`If-None-Match\`: while nothing has changed, the answer is 304
without a body. It counts as a request.

## Errors

Every refusal is \`{code, message, status}\`; a 400 adds \`details\`, one for each invalid value. Decide by \`code\`,
show \`message\`, and quote the \`X-Request-Id\` when you ask for help.

## Repeats

When an answer is lost, send the request again with the same \`Idempotency-Key\`: for 24 hours you get the first answer
once more, marked \`Idempotent-Replayed: true\`, and nothing is done twice. Where an operation takes the header, it says so.

## Numbers

Identifiers are signed 64-bit integers and come as JSON numbers. JavaScript rounds those above 2^53: parse them with
a reader that keeps every digit.

## Change

Operations marked experimental or beta may still change. A deprecated one announces its last day in the \`Sunset\`
header and its successor in \`Link\`; from that day on it answers 410.
`
  .trim()
  .replace(/(?<![|\n])\n(?![|\n])/g, ' '); // the Swagger UI would show each line break of a paragraph
