import { join } from 'node:path';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { prefixed, service } from '../../kernel/config/service.js';

/** Explains in one line why the embedded PostgreSQL is unavailable and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/\s*\n\s*/g, ' '), options);
  }

  static missing(platform: string): EmbeddedPostgresError {
    return new EmbeddedPostgresError(
      `No embedded PostgreSQL for ${platform} is installed: set DATABASE_URL to a PostgreSQL server` +
        ' (or let npm install optional dependencies).',
    );
  }

  static cannotRun(cause: Error): EmbeddedPostgresError {
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL does not run on this machine (${cause.message}): set DATABASE_URL to a PostgreSQL` +
        ' server (if npm ignores scripts, `npm rebuild --ignore-scripts=false` may help).',
      { cause },
    );
  }

  static asRoot(cause: Error): EmbeddedPostgresError {
    return new EmbeddedPostgresError(
      `PostgreSQL refuses to run as root, and running it as another user failed (${cause.message}):` +
        ` start ${service().program} as an ordinary user, or set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    );
  }

  static inUse(dataDir: string, holder: string): EmbeddedPostgresError {
    return new EmbeddedPostgresError(
      `The data folder ${dataDir} is in use by another service (${holder}):` +
        ` stop that one, or set ${prefixed('DATA_DIR')} to another folder.`,
    );
  }

  static unreachable(dataDir: string, home: string): EmbeddedPostgresError {
    const cluster = `'${join(dataDir, 'postgres').replaceAll("'", String.raw`'\''`)}'`;
    return new EmbeddedPostgresError(
      `The data folder ${dataDir} lies where only root may enter, and PostgreSQL runs as another user. Move its data once,` +
        ` while no ${service().program} runs: mkdir -p -m 711 ${home} && mv ${cluster} ${home}/ && ln -s ${home}/postgres ${cluster}`,
    );
  }

  static unusable(dataDir: string, cause: Error): EmbeddedPostgresError {
    const reason = cause.message.replace(/\.$/, '');
    return new EmbeddedPostgresError(
      `The data folder ${dataDir} cannot be used (${reason}): ${remedyOf(cause)}, or set ${prefixed('DATA_DIR')} to another folder.`,
      { cause },
    );
  }
}

/** The database in a data folder is of a version that this one does not upgrade. */
export class DatabaseTooOld extends Error {
  constructor() {
    super('its database is of a version before 1.3');
  }
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** By the code of a system error, or by its text, which is all that PostgreSQL's programs give of it. */
const REMEDIES: readonly (readonly [codes: readonly string[], text: RegExp, remedy: string])[] = [
  [
    ['ENOSPC', '53100'],
    /No space left on device/,
    'the disk is full, so free some space (100 MB are enough)',
  ],
  [['EDQUOT'], /[Qq]uota exceeded/, 'the disk quota of this user is used up, so free some space'],
  [['EROFS'], /Read-only file system/, 'its file system is read-only, so mount it for writing'],
  [
    ['EACCES', 'EPERM'],
    /Permission denied|not permitted/,
    'make it, and what is in it, readable and writable for this user',
  ],
  [['ENOTDIR', 'EEXIST'], /Not a directory/, 'a file is where a folder should be, so move that away'],
  [[], /of a version before 1\.3/, 'start 1.3 with it once'],
  [['ELOOP'], /Too many levels of symbolic links/, 'its symbolic links lead in a circle, so correct them'],
  [['ENAMETOOLONG'], /File name too long/, 'its path is too long, so choose a shorter one'],
  [['EMFILE', 'ENFILE'], /Too many open files/, 'too many files are open, so raise the limit (ulimit -n)'],
  [['EIO'], /Input\/output error/, 'the disk cannot be read or written, so check it'],
  [
    ['ENOENT'],
    /(?!)/,
    'no folder can be made there, or a file of it is missing, so move what is left of it away',
  ],
];

function remedyOf(cause: Error): string {
  const code = errorCodeOf(cause);
  const found =
    REMEDIES.find(([codes]) => codes.includes(code)) ?? REMEDIES.find(([, text]) => text.test(cause.message));
  return found?.[2] ?? 'move it away';
}
