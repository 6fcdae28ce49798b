import { Config } from './config.js';
import type { Environment } from './variables.js';

export interface InspectedConfig {
  /** The variables that cannot be used have their defaults. */
  readonly config: Config;
  /** By variable, one line each. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Reads every variable and reports problems, where `new Config()` throws. */
export function inspectConfig(env: Environment = process.env): InspectedConfig {
  let problems: ReadonlyMap<string, string> = new Map();
  const config = new Config(env, (found) => (problems = found));
  return { config, problems };
}
