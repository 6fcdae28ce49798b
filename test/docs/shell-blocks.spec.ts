import { markdownPages, readText } from '../support/repository.js';

/** Fenced blocks that a reader may paste into a shell: those of shell, and those that name no language. */
const blocks = markdownPages()
  .flatMap((page) =>
    [...readText(page).matchAll(/^ *```(.*)\n([^]*?)^ *```$/gm)].map(([, language = '', block = '']) => ({
      page,
      language,
      block,
      begin: block.split('\n', 1)[0],
    })),
  )
  .filter(({ language }) => /^(sh|bash|zsh|shell|console|)$/.test(language));
const scripts = blocks.filter(({ language }) => language !== '');

/** Without what is quoted. */
const bare = (block: string) => block.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, '');

describe('a block to paste', () => {
  it('is found', () => {
    expect(scripts.length).toBeGreaterThan(20);
  });

  // At its prompt, zsh takes # for a word like any other: it runs the backticks of a comment, and passes its words to the command.
  it.each(blocks)('has no comment: $page, $begin', ({ block }) => {
    expect(/^.*(?<!\S)#.*$/m.exec(bare(block))?.[0]).toBeUndefined();
  });

  // bash passes a pattern that matches no file, zsh refuses it; at their prompts, ! in double quotes is a command of the history.
  it.each(scripts)('has no pattern, and no !: $page, $begin', ({ block }) => {
    expect(bare(block)).not.toMatch(/[*?[\]~!]/);
    expect(block.replaceAll(/'[^']*'/g, '')).not.toContain('!');
  });

  it.each(scripts)('is in one language, and labelled sh: $page, $begin', ({ language }) => {
    expect(language).toBe('sh');
  });

  // Ctrl-C, which ends it, would drop the lines that follow, or run them at once.
  it.each(scripts)('runs nothing until it is stopped, but in its last line: $page, $begin', ({ block }) => {
    expect(block.trimEnd().split('\n').slice(0, -1).join('\n')).not.toMatch(
      /--follow|\bnpm start|\btail -f|npm run receiver|petstore worker/,
    );
  });

  // It has a terminal of its own, which takes the lines that follow.
  it.each(scripts)('runs sudo in no line but the last: $page, $begin', ({ block }) => {
    expect(block.trimEnd().split('\n').slice(0, -1).join('\n')).not.toMatch(/\bsudo\b/);
  });

  // Pasted as it is, it would work.
  it.each(scripts)('has no password that everyone knows: $page, $begin', ({ block }) => {
    expect(block).not.toMatch(/PASSWORD '(?!\$)|:PASSWORD@/);
  });

  // Keys that are replaced are lost, with what they encrypt; a folder that is there gets the copy inside it.
  it.each(scripts)('pasted again, replaces no keys and no backup: $page, $begin', ({ block }) => {
    for (const command of block.replaceAll(/\|\|\n */g, '|| ').split('\n')) {
      if (/urandom|openssl rand/.test(command)) expect(command).toMatch(/^test -e \S+ \|\| |^(\w+)=\$\{\1:-/);
      if (command.startsWith('cp -R')) expect(command).toContain('$(date ');
    }
  });

  // A second cd would be relative to the first.
  it.each(scripts)('is for one folder: $page, $begin', ({ block }) => {
    expect([...bare(block).matchAll(/(?<![\w-])cd(?!\w)/g)].length).toBeLessThan(2);
  });
});
