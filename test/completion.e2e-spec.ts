import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { COMMAND_LINE, run } from './support/program.js';

let script: string;

beforeAll(async () => {
  script = (await run(COMMAND_LINE, ['completion', 'bash'], { cwd: tmpdir() })).stdout;
});

/** What bash offers after these words, the last one being under the cursor. */
async function offered(...words: string[]): Promise<string[]> {
  const ask = `${script}
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _petstore
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-uc', ask, 'bash', 'petstore', ...words]);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('petstore completion bash', () => {
  it.each<[string, string[], string[]]>([
    ['the commands', [''], ['keys', 'plans', 'migrate', 'doctor', 'completion', 'help', '--help']],
    ['the command that begins so', ['do'], ['doctor']],
    ['the commands of a command', ['plans', ''], ['list', 'help', '--help']],
    ['the options of a command', ['keys', 'show', '-'], ['--json', '--help']],
    ['an option that begins so, behind an argument', ['keys', 'ban', '7', '--f'], ['--for']],
    ['the values of an option', ['keys', 'create', '--plan', ''], ['free', 'pro', 'business', 'enterprise']],
    ['scopes', ['keys', 'update', '7', '--scopes', ''], ['all', 'pets:read', 'pets:write', 'orders:read']],
    ['nothing where the value is the user’s own', ['keys', 'create', '--name', ''], []],
    [
      'an option after a value that is named as a command',
      ['keys', 'create', '--name', 'keys', '--pl'],
      ['--plan'],
    ],
    ['the commands there is help for', ['help', 'k'], ['keys']],
    ['nothing after what it does not know', ['dogs', 'x'], []],
  ])('offers %s', async (_, words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it('is registered with bash, and says how to install it', async () => {
    const { stdout } = await promisify(execFile)('bash', ['-c', `${script} complete -p petstore`]);
    expect(stdout).toBe('complete -F _petstore petstore\n');
    expect(script).toContain("echo 'source <(petstore completion bash)' >> ~/.bashrc");
  });
});
