import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';

/** Debian's own has modules that another one before it in the `PATH` may lack. */
const PYTHONS = ['python3', '/usr/bin/python3'];

/** `it` where there is a python3 that is new enough, otherwise `it.skip` with a line that says so. */
export function itWithPython(name: string, test: () => Promise<void>): void {
  if (succeeds('python3', 'import sys; sys.exit(sys.version_info < (3, 10))')) {
    it(name, test);
    return;
  }
  process.stderr.write(`Left out, because python3 (3.10 or newer) is not installed: ${name}\n`);
  it.skip(name, test);
}

/** The same for a test that needs a package, which nothing here installs: that would need the network. */
export function itWithPythonPackage(name: string, module: string, test: () => Promise<void>): void {
  if (succeeds('python3', `import ${module}`)) {
    itWithPython(name, test);
    return;
  }
  process.stderr.write(`Left out, because Python's ${module} is not installed: ${name}\n`);
  it.skip(name, test);
}

/** The same for a test that builds a Python package, with what builds it: `<python> -m build`. */
export function itWithPythonBuild(name: string, test: (python: string) => Promise<void>): void {
  const python = PYTHONS.find((one) => succeeds(one, 'import build, setuptools, wheel'));
  if (python !== undefined) {
    it(name, () => test(python));
    return;
  }
  process.stderr.write(`Left out, because Python's build, setuptools or wheel is not installed: ${name}\n`);
  it.skip(name, () => Promise.resolve());
}

/** Runs Python; nothing of the test's own environment reaches it, but for `PATH` and `HOME`. */
export function runPython(
  args: readonly string[],
  env: Record<string, string>,
  python = 'python3',
  cwd?: string,
): ChildProcessWithoutNullStreams {
  const { PATH, HOME } = process.env;
  return spawn(python, ['-s', '-B', ...args], { cwd, env: { PATH, HOME, ...env } });
}

function succeeds(python: string, program: string): boolean {
  try {
    execFileSync(python, ['-c', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
