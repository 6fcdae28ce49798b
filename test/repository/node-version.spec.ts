import { createRequire } from 'node:module';
import { satisfies } from 'semver';
import { readText } from '../support/repository.js';

const manifest = JSON.parse(readText('package.json')) as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};
const CHECK = 'bin/node-version.cjs';
const require = createRequire(new URL(`../../${CHECK}`, import.meta.url));

/** What the check prints on a release, with its exit code. */
function on(version: string): { readonly code?: number; readonly printed: string[] } {
  const printed: string[] = [];
  let code: number | undefined;
  const exit = (ended: number) => (code = ended);
  const print = { error: (line: string) => printed.push(line) };
  const body = readText(CHECK);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- another release cannot be had in a test
  const check = new Function('require', 'process', 'console', body);
  check(require, { versions: { node: version }, exit }, print);
  return { code, printed };
}

describe('on a Node.js that package.json does not accept', () => {
  it.each(['16.20.2', '18.20.8', '19.9.0', '20.18.3', '21.7.3', '22.12.0', '23.11.1', '24.10.0'])(
    'one line says which it needs: %s',
    (version) => {
      expect(on(version)).toEqual({
        code: 1,
        printed: [
          `This is Node.js ${version}, and the service needs 20.19 or a newer 20, 22.13 or a newer 22, 24.11 or newer. With nvm, run: nvm install`,
        ],
      });
    },
  );

  it('the check agrees with npm about every other release', () => {
    const releases = [18, 20, 21, 22, 24, 25, 100].flatMap((major) =>
      [0, 9, 10, 11, 12, 13, 18, 19, 20, 100].flatMap((minor) =>
        [0, 9].map((patch) => `${major}.${minor}.${patch}`),
      ),
    );
    for (const release of releases)
      expect([release, on(release).code === undefined]).toEqual([
        release,
        satisfies(release, manifest.engines.node),
      ]);
  });

  it.each(['prestart', 'pretest', 'prebuild', 'predev'] as const)(
    'it is said before all else: %s',
    (script) => {
      expect(manifest.scripts[script]).toMatch(/^node bin\/node-version\.cjs( &&|$)/);
    },
  );

  // A static import beside it would be loaded first.
  it.each(['src/main.ts', 'bin/petstore.js'])('it is said before the rest is loaded: %s', (file) => {
    const [first, ...others] = [...readText(file).matchAll(/^import .*'(.+)';/gm)].map(([, from]) => from);
    expect(first).toMatch(/^(#node-version|\.\/node-version\.cjs)$/);
    expect(others.filter((from) => !from?.startsWith('node:'))).toEqual([]);
  });

  it('`npm ci` stops with what npm says about it', () => {
    expect(readText('.npmrc')).toContain('\nengine-strict=true\n');
  });
});
