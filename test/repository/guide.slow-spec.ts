import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '../../src/platform/kernel/clock/duration.js';
import { WorkingCopy } from '../support/checkout.js';
import { apply, CI, GUIDE_REPORT, type Piece, piecesOf } from '../support/guide.js';
import { readText } from '../support/repository.js';

const CHAPTERS = ['docs/extending.md', 'docs/extending-further.md'];
/** As the generator leaves it, with a name that no other module has. generator.slow-spec.ts has its files. */
const GENERATED = 'lost-gloves';
/** What the pages promise of the routes, and do not show a test of. */
const MORE_TESTS = 'suppliers-as-promised.e2e-spec.ts';

let copy: WorkingCopy;
const pieces: Piece[] = [];

beforeAll(async () => {
  copy = await WorkingCopy.make();
  await writeFile(join(copy.path, '.copied'), '');
  await copy.type(`npm run generate -- ${GENERATED}`);
  await copyFile(join(copy.path, `test/docs/${MORE_TESTS}.template`), join(copy.path, `test/${MORE_TESTS}`));
  for (const piece of CHAPTERS.flatMap((page) => piecesOf(readText(page)))) {
    await apply(piece, copy);
    pieces.push(piece);
  }
});
afterAll(() => copy.remove());

/** What was there before is formatted and linted elsewhere. */
const WRITTEN = `src/features.ts $(find src test migrations -newer .copied -name '*.ts')`;

/** Differs from what a reader types only in the files to format and lint, and in the report. */
const SHORTENED: Record<string, string> = {
  'npm run format': `npx prettier --write ${WRITTEN}`,
  'npm run lint': `npx eslint --max-warnings=0 ${WRITTEN} && npx prettier --check ${WRITTEN} && npm run lint:layers`,
  'npm test': GUIDE_REPORT
    ? `CI=${CI} npm test -- --forceExit --json --outputFile='${GUIDE_REPORT}' >/dev/null`
    : 'npm test',
};

const lastCommands = piecesOf(readText('docs/extending.md'))
  .filter(({ action }) => action === 'last')
  .flatMap(({ code }) => code.split(/\n| && /));

describe('docs/extending.md and docs/extending-further.md, applied to a generated module', () => {
  it('have code in each chapter', () => {
    expect(pieces.length).toBeGreaterThan(20);
  });

  it.each(lastCommands)(
    'pass %s',
    (command) => copy.type(SHORTENED[command] ?? command),
    minutes(30), // the whole suite, beside whatever else loads the machine
  );
});
