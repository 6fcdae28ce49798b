import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { COMMAND_LINE, run } from './support/program.js';

const complete = async (...words: string[]): Promise<string[]> => {
  const { stdout } = await run(COMMAND_LINE, ['complete', '--', ...words], { cwd: tmpdir() });
  const lines = stdout.split('\n').filter((line) => line !== '');
  expect(lines.pop()).toMatch(/^:\d+$/); // tells the shell what to do with the words
  return lines.map((line) => line.split('\t')[0] ?? '');
};

describe('petstore completion', () => {
  it.each<[string, string[], string[]]>([
    ['the commands', [''], ['keys', 'plans', 'migrate', 'doctor', 'completion']],
    ['the command that begins so', ['do'], ['doctor']],
    ['the commands of a command', ['plans', ''], ['list']],
    ['the options of a command', ['keys', 'show', '--'], ['--json', '--help']],
    ['an option that begins so, behind an argument', ['keys', 'ban', '7', '--f'], ['--for']],
    ['the values of an option', ['keys', 'create', '--plan', ''], ['free', 'pro', 'business', 'enterprise']],
    ['scopes', ['keys', 'update', '7', '--scopes', ''], ['all', 'events:read', 'key:rotate']],
  ])('offers %s', async (_, words, expected) => {
    expect(await complete(...words)).toEqual(expect.arrayContaining(expected));
  });

  it('offers nothing for free text', async () => {
    expect(await complete('keys', 'create', '--name', '')).toEqual([]);
  });

  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await run(COMMAND_LINE, ['completion', shell], { cwd: tmpdir() });
    expect(code).toBe(0);
    expect(stdout).toContain(`${shell} completion for petstore`);
    expect(stdout).toContain('petstore complete --');
  });

  it('completes in bash, even if the script is sourced twice', async () => {
    const { stdout: script } = await run(COMMAND_LINE, ['completion', 'bash'], { cwd: tmpdir() });
    const ask = `petstore() { "${process.execPath}" "${COMMAND_LINE}" "$@"; }
      _get_comp_words_by_ref() { cur=do prev=petstore cword=1 words=(petstore do); } # of the package bash-completion
      ${script}
      ${script}
      complete -p petstore
      __petstore_complete
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', ask]);
    expect(stderr).not.toContain('readonly');
    expect(stdout).toMatch(/^complete -F \w+ petstore\ndoctor\s*$/);
  });
});
