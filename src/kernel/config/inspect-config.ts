import { StartupError } from '../errors/startup.error.js';
import { Config } from './config.js';
import type { Environment } from './variables.js';

export interface InspectedConfig {
  /** As if the variables that cannot be used were not set. */
  readonly config: Config;
  /** What is wrong, by variable, in one line each. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Reads every variable, where `new Config()` stops at the first that cannot be used. */
export function inspectConfig(env: Environment = process.env): InspectedConfig {
  const usable = { ...env };
  const problems = new Map<string, string>();
  for (;;) {
    try {
      return { config: new Config(usable), problems };
    } catch (error) {
      const variable = variableOf(error);
      if (usable[variable] === undefined) throw error;
      problems.set(variable, String(error instanceof Error ? error.message : error));
      usable[variable] = undefined;
    }
  }
}

/** Every refusal begins with the name of its variable. */
function variableOf(error: unknown): string {
  return error instanceof StartupError ? (/^\w+/.exec(error.message)?.[0] ?? '') : '';
}
