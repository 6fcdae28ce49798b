import { COMMAND_LINE, expectTooFewFiles, SERVICE } from '../../support/program.js';

/** What fails differs with the limit: a module that is loaded first, one that is loaded later, or a socket. */
const LIMITS = [26, 33, 40, 60, 90, 120, 160, 200];

it.each([
  ...LIMITS.map((limit) => [limit, SERVICE] as const),
  ...LIMITS.map((limit) => [limit, `${COMMAND_LINE}' keys 'list`] as const),
])('a program that may open only %d files says so in one line: %s', expectTooFewFiles);
