/** Node.js 20 opens up to 350 files at once to load the service, and newer ones far fewer. */
const ENOUGH_TO_LOAD = 1_024;

/**
 * What to do about an error of a process or a machine that has no file descriptor left; undefined for other
 * errors. It imports nothing, because nothing could be loaded any more.
 */
export function outOfFiles(error: unknown, program: string): string | undefined {
  const { code, message } = Object(error) as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') return sentence(program, `no more files: ${message}`);
  // Node.js says this of a package, too, whose files it cannot open. A report takes milliseconds, and is made
  // only then.
  const limit = code === 'ERR_MODULE_NOT_FOUND' ? openFilesLimit() : Infinity;
  return limit < ENOUGH_TO_LOAD
    ? sentence(program, `only ${limit} files, which may be too few to load it: ${message}`)
    : undefined;
}

/**
 * Loads a program. If the process may open too few files for that, one line says so.
 * @param name of the program: that of the service is not loaded yet
 */
export async function load(program: () => Promise<unknown>, name = 'service'): Promise<void> {
  try {
    await program();
  } catch (error) {
    const text = outOfFiles(error, name);
    if (text === undefined) throw error;
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  }
}

const sentence = (program: string, what: string): string =>
  `${program}: The process may open ${what}. Raise its limit: ulimit -n, or LimitNOFILE of systemd.`;

/** Infinity if there is none, or none is known. */
function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  return Number(userLimits?.open_files?.soft ?? Infinity) || Infinity;
}
