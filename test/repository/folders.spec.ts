import { allFilesIn, filesIn, readText } from '../support/repository.js';

const layers = '../../.ci/layers.mjs'; // has no types
const { GROUPS } = (await import(layers)) as { GROUPS: Record<string, string[]> };
const groups = Object.keys(GROUPS);
const folders = Object.entries(GROUPS).flatMap(([group, names]) =>
  names.map((name) => [group, name] as const),
);

/** The sentence of a folder: the comment before the imports of the file that a reader opens first. */
function sentencesOf(group: string, folder: string): string[] {
  const path = `src/platform/${group}/${folder}`;
  return allFilesIn(path)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readText(`${path}/${file}`))
    .filter((text) => text.startsWith(`// ${folder}/ `))
    .map((text) =>
      (/^(\/\/ .*\n)+/.exec(text)?.[0] ?? '').replaceAll('// ', '').trim().replaceAll('\n', ' '),
    );
}

/** docs/architecture.md, with its items on one line each. */
const architecture = readText('docs/architecture.md').replaceAll('\n  ', ' ');
const foldersIn = (path: string) => filesIn(path).filter((name) => !name.includes('.'));

describe('src/platform', () => {
  it('has the groups of .ci/layers.mjs, and each group its folders', () => {
    expect(foldersIn('src/platform')).toEqual([...groups].sort());
    for (const [group, names = []] of Object.entries(GROUPS))
      expect(foldersIn(`src/platform/${group}`)).toEqual([...names].sort());
  });

  it.each(folders)(
    '%s/%s says in one file what it promises, and docs/architecture.md says the same',
    (group, folder) => {
      const sentences = sentencesOf(group, folder);
      expect(sentences).toHaveLength(1);
      expect(architecture).toContain(`- ${(sentences[0] ?? '').replace(`${folder}/`, `\`${folder}/\``)}`);
    },
  );

  it('is listed from top to bottom', () => {
    const listed = [...architecture.matchAll(/^- `([\w-]+)\/`/gm)].map(([, name]) => name);
    expect(listed).toEqual(folders.map(([, folder]) => folder));
    const headed = [...architecture.matchAll(/^\*\*`([\w-]+)\/`\*\*/gm)].map(([, name]) => name);
    expect(headed).toEqual(groups);
  });
});
