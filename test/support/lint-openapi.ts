import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Problem {
  readonly severity: 'error' | 'warn';
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** Errors that Redocly finds in an OpenAPI document. Warnings about style are ignored. */
export async function lintErrors(document: object): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended]\ntelemetry: off\n');
    const { problems } = JSON.parse(await lint(folder)) as { problems: readonly Problem[] };
    return problems
      .filter(({ severity }) => severity === 'error')
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Redocly's exit code is ignored, because its output contains the result. */
function lint(folder: string): Promise<string> {
  const program = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js');
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, 'lint', 'openapi.json', '--format=json', '--max-problems=1000'],
      { cwd: folder, env: environment, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        if (stdout.startsWith('{')) resolve(stdout);
        else reject(error ?? new Error(stderr));
      },
    );
  });
}
