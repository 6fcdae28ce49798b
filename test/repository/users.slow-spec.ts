import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '../../src/platform/kernel/clock/duration.js';
import { WorkingCopy } from '../support/checkout.js';
import { apply, piecesOf } from '../support/guide.js';
import { readText } from '../support/repository.js';

const PAGE = 'docs/users.md';
/** What the page promises, and does not show a test of. */
const MORE_TESTS = 'users-as-promised.e2e-spec.ts';

let copy: WorkingCopy;

beforeAll(async () => {
  copy = await WorkingCopy.make();
  await writeFile(join(copy.path, '.copied'), '');
  await copyFile(join(copy.path, `test/docs/${MORE_TESTS}.template`), join(copy.path, `test/${MORE_TESTS}`));
  for (const piece of piecesOf(readText(PAGE))) await apply(piece, copy);
});
afterAll(() => copy.remove());

const WRITTEN = `src/features.ts $(find src/features test -newer .copied -name '*.ts')`;

describe('the module of docs/users.md', () => {
  it.each([
    `npx prettier --write src/features.ts && npx prettier --check ${WRITTEN}`,
    `npx eslint --max-warnings=0 ${WRITTEN}`,
    'npm run lint:layers',
    'npm run typecheck',
    'npm test -- users program/contract error-catalog',
  ])('passes %s', (command) => copy.type(command), minutes(20));
});
