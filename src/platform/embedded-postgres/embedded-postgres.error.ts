import { join } from 'node:path';

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
        ' start petstore as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }

  static inUse(dataDir: string, holder: string): EmbeddedPostgresError {
    return new EmbeddedPostgresError(
      `The data folder ${dataDir} is in use by another service (${holder}):` +
        ' stop that one, or set PETSTORE_DATA_DIR to another folder.',
    );
  }

  static unreachable(dataDir: string, home: string): EmbeddedPostgresError {
    const cluster = `'${join(dataDir, 'postgres').replaceAll("'", String.raw`'\''`)}'`;
    return new EmbeddedPostgresError(
      `The data folder ${dataDir} lies where only root may enter, and PostgreSQL runs as another user. Move its data once,` +
        ` while no petstore runs: mkdir -p -m 711 ${home} && mv ${cluster} ${home}/ && ln -s ${home}/postgres ${cluster}`,
    );
  }

  static unusable(dataDir: string, cause: Error): EmbeddedPostgresError {
    const reason = cause.message.replace(/\.$/, '');
    return new EmbeddedPostgresError(
      `The data folder ${dataDir} cannot be used (${reason}):` +
        ' make it readable and writable, move it away, or set PETSTORE_DATA_DIR to another folder.',
      { cause },
    );
  }
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
