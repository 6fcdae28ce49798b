import { join } from 'node:path';
import { type CatalogEntry, OTHER_CODES } from '../../src/openapi/error-catalog/error-catalog.js';

export const ERROR_PAGE = join(import.meta.dirname, '../../docs/errors.md');

/** Whether the run may rewrite the page. */
export const UPDATING = process.env.UPDATE_ERRORS === 'true';

/** docs/errors.md. */
export const errorsPage = (entries: readonly CatalogEntry[]): string => `# Errors

<!-- Written by \`npm run docs:errors\` from src/app.errors.ts and the errors of the modules. -->

Every error response has the properties \`code\`, \`message\` and \`status\`. Branch on \`code\`: it keeps its meaning, and
the wording of \`message\` may change. A \`validation_failed\` adds \`details\`, one entry for each invalid value, 20 at most.
A running service shows this page at \`/docs/errors\`, with the errors of its modules.

## Problems (RFC 9457)

A client that sends \`Accept: application/problem+json\` gets each error as a problem, with \`type\` (the address of the
code in the catalogue), \`title\`, \`detail\` and \`instance\` beside the properties above. The media type says nothing about a
success: with this \`Accept\` alone, a success is \`application/json\` as always.

\`\`\`json
{
  "type": "https://petstore.test/docs/errors#pet_not_found",
  "title": "Pet not found",
  "detail": "There is no pet with the id 4711.",
  "instance": "/v1/pets/4711",
  "code": "pet_not_found",
  "message": "There is no pet with the id 4711.",
  "status": 404
}
\`\`\`

## Codes

| Status | Code | Meaning and remedy |
| --- | --- | --- |
${entries.map(row).join('\n')}

${OTHER_CODES}
`;

const row = ({ example: { status, code }, meaning, action }: CatalogEntry): string =>
  `| ${status} | \`${code}\` | ${meaning} ${action} |`;
