/**
 * What to do about an error of a process or a machine that has no file descriptor left; undefined for other errors. It imports nothing,
 * because nothing could be loaded any more.
 */
export function outOfFiles(error: unknown): string | undefined {
  const { code, message } = Object(error) as NodeJS.ErrnoException;
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  return `petstore: The process may open no more files: ${message}. Raise its limit: ulimit -n, or LimitNOFILE of systemd.`;
}
