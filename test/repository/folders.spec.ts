import { allFilesIn, filesIn, readText } from '../support/repository.js';

const layers = '../../.ci/layers.mjs'; // has no types
const { LAYERS } = (await import(layers)) as { LAYERS: string[][] };
const folders = LAYERS.flat();

/** The sentence of a folder: the comment before the imports of the file that a reader opens first. */
function sentencesOf(folder: string): string[] {
  return allFilesIn(`src/platform/${folder}`)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readText(`src/platform/${folder}/${file}`))
    .filter((text) => text.startsWith(`// ${folder}/ `))
    .map((text) =>
      (/^(\/\/ .*\n)+/.exec(text)?.[0] ?? '').replaceAll('// ', '').trim().replaceAll('\n', ' '),
    );
}

/** docs/architecture.md, with its items on one line each. */
const architecture = readText('docs/architecture.md').replaceAll('\n  ', ' ');

describe('src/platform', () => {
  it('has the folders of .ci/layers.mjs', () => {
    expect(filesIn('src/platform').filter((name) => !name.includes('.'))).toEqual([...folders].sort());
  });

  it.each(folders)(
    '%s says in one file what it promises, and docs/architecture.md says the same',
    (folder) => {
      const sentences = sentencesOf(folder);
      expect(sentences).toHaveLength(1);
      expect(architecture).toContain(`- ${(sentences[0] ?? '').replace(`${folder}/`, `\`${folder}/\``)}`);
    },
  );

  it('is listed from top to bottom', () => {
    const listed = [...architecture.matchAll(/^- `([\w-]+)\/`/gm)].map(([, name]) => name);
    expect(listed).toEqual(folders);
  });
});
