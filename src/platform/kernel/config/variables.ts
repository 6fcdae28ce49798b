import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads environment variables. Replaces invalid values with defaults and records them, so that they can be
 * reported together.
 */
export class Variables {
  /** One line per invalid variable. */
  readonly problems = new Map<string, string>();

  private readonly read = new Set<string>();

  constructor(private readonly env: Environment) {}

  /** The variables that nothing has read, but that are almost named like one that was, by their name. */
  get misspelled(): ReadonlyMap<string, string> {
    const unread = Object.keys(this.env).filter((name) => !this.read.has(name));
    const pairs = unread.flatMap((name) => {
      const meant = [...this.read].find((known) => isAlmost(name.toUpperCase(), known));
      return meant === undefined ? [] : [[name, meant] as const];
    });
    return new Map(pairs);
  }

  /** The same variables without recorded problems. */
  afresh(): Variables {
    return new Variables(this.env);
  }

  /** An empty value counts as unset: a Compose file may say `PORT=`. */
  optional(name: string): string | undefined {
    this.read.add(name);
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  reject<T>(name: string, value: string, expected: string, fallback: T): T {
    this.problems.set(name, `${name} must be ${expected}; it is ${JSON.stringify(value)}.`);
    return fallback;
  }

  /**
   * Records a problem of a value that may contain a password, so that the message does not show it.
   * @param problem continues the name of the variable, or of `<name>_FILE` if that was read
   */
  refuse(name: string, problem: string): undefined {
    const source = this.optional(name) === undefined ? `${name}_FILE` : name;
    this.problems.set(source, `${source} ${problem}.`);
    return undefined;
  }

  /** Records a problem if the other variable is not set, neither itself nor as `<other>_FILE`. */
  needs(name: string, other: string): void {
    const given = [other, `${other}_FILE`].some((variable) => this.optional(variable) !== undefined);
    if (!given) this.problems.set(name, `${name} needs ${other}.`);
  }

  wholeNumber(name: string, { min, max, fallback }: { min: number; max: number; fallback: number }): number {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    return this.reject(name, value, `a whole number from ${min} to ${max}`, fallback);
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const found = allowed.find((option) => option === value);
    return found ?? this.reject(name, value, `one of ${allowed.join(', ')}`, fallback);
  }

  /** `on` or `true`, `off` or `false`. */
  flag(name: string, fallback: boolean): boolean {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    if (value === 'on' || value === 'true') return true;
    if (value === 'off' || value === 'false') return false;
    return this.reject(name, value, 'on or off', fallback);
  }

  /** A URL of one of the given protocols, without a trailing slash. */
  url(name: string, protocols: readonly string[]): string | undefined {
    const value = this.optional(name);
    return value === undefined ? undefined : this.parseUrl(name, value, protocols);
  }

  /** A URL that may contain a password, from the variable or from the file in `<name>_FILE`. */
  secretUrl(name: string, protocols: readonly string[]): string | undefined {
    if (this.optional(`${name}_FILE`) === undefined) return this.url(name, protocols);
    const secret = this.secret(name);
    return secret === undefined ? undefined : this.parseUrl(`${name}_FILE`, secret, protocols);
  }

  /** A password, from the variable or from the file in `<name>_FILE`. */
  secret(name: string): string | undefined {
    const fileName = `${name}_FILE`;
    if (this.optional(fileName) === undefined) return this.optional(name);
    if (this.optional(name) === undefined) return this.file(fileName)?.trim();
    this.problems.set(fileName, `${fileName} and ${name} are both set: keep one of them.`);
    return undefined;
  }

  list(name: string): string[] {
    return (this.optional(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  /** A comma-separated list of whole seconds, as milliseconds. */
  durations(name: string, fallback: readonly number[]): readonly number[] {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const items = this.list(name);
    if (items.length > 0 && items.every((item) => /^[1-9]\d{0,7}$/.test(item))) {
      return items.map((item) => Number(item) * 1_000);
    }
    return this.reject(name, value, 'whole seconds separated by commas', fallback);
  }

  /** The text of the file whose path is in the variable. */
  file(name: string): string | undefined {
    const path = this.optional(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return this.reject<string | undefined>(name, path, 'a readable file', undefined);
    }
  }

  private parseUrl(name: string, value: string, protocols: readonly string[]): string | undefined {
    if (SEVERAL_HOSTS.test(value)) {
      this.problems.set(name, `${name} must name one host: put a proxy before several.`);
      return undefined;
    }
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, '');
    const starts = protocols.map((protocol) => `${protocol}//`).join(' or ');
    // The value may contain a password, so the message does not show it.
    if (WITHOUT_HOST.test(value)) {
      this.problems.set(name, `${name} must name a host; for a socket it is localhost.`);
      return undefined;
    }
    const expected = name.endsWith('_FILE') ? 'name a file with' : 'be';
    this.problems.set(name, `${name} must ${expected} a URL that starts with ${starts}.`);
    return undefined;
  }
}

/**
 * libpq knows `postgres://one:5432,other:5432/pets`; URLs and `pg` do not. A password may contain a comma.
 */
const SEVERAL_HOSTS = /^\w+:\/\/(?:[^/?#]*@)?(?![^/?#]*@)[^/?#]*,/;

/** libpq and `pg` know `postgres://user@/pets?host=/run/postgresql`; URLs do not. */
const WITHOUT_HOST = /^\w+:\/\/[^/?#]*@[/?]/;

/**
 * Whether at most two letters differ, or one of a short name, or only their order: `PATH` is not a misspelled
 * `PORT`, but `PROT` is.
 */
function isAlmost(name: string, known: string): boolean {
  const most = known.length < 8 ? 1 : 2;
  const letters = Array.from(name);
  if (letters.toSorted().join('') === Array.from(known).toSorted().join('')) return true;
  return Math.abs(letters.length - known.length) <= most && editDistance(letters, known) <= most;
}

/** Levenshtein's: how many letters must be added, removed or replaced. */
function editDistance(from: readonly string[], to: string): number {
  let distances = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of from.entries()) {
    let [diagonal, left] = [i, i];
    distances = distances.map((above, j) => {
      left = j === 0 ? i + 1 : Math.min(above + 1, left + 1, diagonal + (letter === to[j - 1] ? 0 : 1));
      diagonal = above;
      return left;
    });
  }
  return distances.at(-1) ?? 0;
}
