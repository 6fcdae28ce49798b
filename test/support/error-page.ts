import { join } from 'node:path';
import {
  type CatalogEntry,
  OTHER_CODES,
} from '../../src/platform/program/openapi/error-catalog/error-catalog.js';

export const ERROR_PAGE = join(import.meta.dirname, '../../docs/errors.md');

/** docs/errors.md. */
export const errorsPage = (entries: readonly CatalogEntry[]): string => `# Errors

<!-- Written by \`npm run openapi:snapshot\` from the errors of the pipeline and of the modules. -->
<!-- prettier-ignore-start -->

Every error response has the properties \`code\`, \`message\` and \`status\`. Branch on \`code\`: it keeps its meaning, and
the wording of \`message\` may change. A \`validation_failed\` adds \`details\`, one entry for each invalid value, 20 at most.
A running service shows this page at \`/docs/errors\`, with the errors of its modules.

## Codes

| Status | Code | Meaning and remedy |
| --- | --- | --- |
${entries.map(row).join('\n')}

${OTHER_CODES}

<!-- prettier-ignore-end -->
`;

const row = ({ example: { status, code }, meaning, action }: CatalogEntry): string =>
  `| ${status} | \`${code}\` | ${meaning} ${action} |`;
