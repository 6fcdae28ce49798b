/** The introduction a reader of the document and of the Swagger UI sees first. CommonMark. */
export const DESCRIPTION = `
Inventory of a pet store. Requests and answers are \`application/json\`.

**Authentication.** Send your API key with every request: \`Authorization: Bearer <API_KEY>\`.

**Pages.** A list answers with a bare array and, while more follows, with the address of the next page in the
\`Link\` header. Follow it as it is; a \`cursor\` is opaque and belongs to the filter it was made with.

**Quotas.** Each key may send so many requests in a minute that starts with its first one, and so many in a UTC day:

| Plan | Per minute | Per day |
|---|---:|---:|
| Free | 60 | 1 000 |
| Pro | 300 | 10 000 |
| Business | 1 000 | 100 000 |
| Enterprise | custom | custom |

Every answer says where you stand in \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`.
Beyond the limit the answer is 429 with \`Retry-After\`, in seconds: wait that long, then back off exponentially.

**Errors** are \`{code, message, status}\`. Decide by \`code\`, show \`message\`.

**Numbers.** Identifiers are signed 64-bit integers. Parse them with a reader that keeps every digit.
`.trim();
