import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const TOOLS = join(ROOT, 'node_modules/.bin');

/** Runs a command, or one of the tools installed in the repository. */
export async function runIn(cwd: string, command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, PATH: `${TOOLS}${delimiter}${process.env.PATH ?? ''}` };
  return (await promisify(execFile)(command, args, { cwd, env })).stdout;
}

/**
 * Packs the TypeScript client like `npm publish` does, and installs it in a folder. Returns the files of the package.
 */
export async function installPackedClient(folder: string): Promise<string[]> {
  const source = join(folder, 'clients/typescript');
  const installed = join(folder, 'node_modules/petstore-client');
  await cp(join(ROOT, 'clients/typescript'), source, {
    recursive: true,
    filter: (path) => !/\/(dist|schema\.ts)$/.test(path),
  });
  await cp(join(ROOT, 'docs/openapi.yaml'), join(folder, 'docs/openapi.yaml'));
  const [packed] = JSON.parse(await runIn(source, 'npm', 'pack', '--json', '--silent')) as {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  await mkdir(installed, { recursive: true });
  await runIn(source, 'tar', '-xzf', packed?.filename ?? '', '-C', installed, '--strip-components=1');
  return packed?.files.map(({ path }) => path) ?? [];
}
