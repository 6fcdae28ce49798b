import { readFileSync } from 'node:fs';
import { seconds } from '../clock/duration.js';
import { StartupError } from '../errors/startup.error.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one variable; an empty value counts as unset, as in a compose file's `PORT=`. */
export function optional(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

export function refuse(name: string, value: string, expected: string): never {
  throw new StartupError(`${name} must be ${expected}; it is ${JSON.stringify(value)}.`);
}

export function wholeNumber(
  env: Environment,
  name: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
): number {
  const value = optional(env, name);
  if (value === undefined) return fallback;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  return number >= min && number <= max
    ? number
    : refuse(name, value, `a whole number from ${min} to ${max}`);
}

export function oneOf<const T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = optional(env, name);
  if (value === undefined) return fallback;
  return allowed.find((option) => option === value) ?? refuse(name, value, `one of ${allowed.join(', ')}`);
}

export function flag(env: Environment, name: string, fallback: boolean): boolean {
  return oneOf(env, name, ['false', 'true'], fallback ? 'true' : 'false') === 'true';
}

/** A URL of one of the given protocols, without a trailing slash. */
export function url(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const value = optional(env, name);
  return value === undefined ? undefined : parseUrl(name, value, protocols);
}

/** A URL that holds a password: from the variable itself, or from the file that `<name>_FILE` names. */
export function secretUrl(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const secret = file(env, `${name}_FILE`);
  if (secret === undefined) return url(env, name, protocols);
  if (optional(env, name) !== undefined)
    throw new StartupError(`${name}_FILE and ${name} are both set: keep one of them.`);
  return parseUrl(`${name}_FILE`, secret.trim(), protocols);
}

function parseUrl(name: string, value: string, protocols: readonly string[]): string {
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    // The value may hold a password, so only its shape is described.
    const whose = name.endsWith('_FILE') ? 'name a file with' : 'be';
    throw new StartupError(
      `${name} must ${whose} a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    );
  }
  return value.replace(/\/+$/, '');
}

export function list(env: Environment, name: string): string[] {
  return (optional(env, name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A comma-separated list of whole seconds, as milliseconds. */
export function durations(env: Environment, name: string, fallback: readonly number[]): readonly number[] {
  const value = optional(env, name);
  if (value === undefined) return fallback;
  const items = list(env, name);
  if (items.length === 0) refuse(name, value, 'whole seconds, separated by commas');
  return items.map((item) =>
    /^[1-9]\d{0,7}$/.test(item)
      ? seconds(Number(item))
      : refuse(name, value, 'whole seconds, separated by commas'),
  );
}

/** The text of the file that a variable names. */
export function file(env: Environment, name: string): string | undefined {
  const path = optional(env, name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return refuse(name, path, 'a file that can be read');
  }
}
