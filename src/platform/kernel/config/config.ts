// config/ reads the environment, once, and says what is wrong in it. Each setting is declared where it is
// used.

import type { Provider } from '@nestjs/common';
import { StartupError } from './startup-error.js';
import { type Environment, Variables } from './variables.js';

/** Reports all invalid variables in one message. */
class InvalidConfig extends StartupError {
  /** @param problems one line per variable */
  constructor(problems: ReadonlyMap<string, string>) {
    const lines = [...problems.values()];
    super(
      lines.length === 1 ? lines.join() : [`${lines.length} variables are invalid.`, ...lines].join('\n  '),
    );
  }
}

/** A class with the settings of one concern. Its constructor reads the variables. */
export type Settings<T extends object = object> = new (variables: Variables) => T;

/** The settings of all concerns. Only this folder reads `process.env`. */
export class Config {
  private readonly variables: Variables;
  private readonly known = new Map<Settings, object>();

  constructor(env: Environment = process.env) {
    this.variables = new Variables(env);
  }

  /** The invalid variables of the settings read so far, with one line per variable. */
  get problems(): ReadonlyMap<string, string> {
    return this.variables.problems;
  }

  /** The variables that no settings read so far name, but almost, with the name that was probably meant. */
  get misspelled(): ReadonlyMap<string, string> {
    return this.variables.misspelled;
  }

  /** The settings of a concern. @throws InvalidConfig */
  read<T extends object>(settings: Settings<T>): T {
    const read = this.inspect(settings);
    this.check();
    return read;
  }

  /** The settings of a concern, with defaults in place of invalid values. */
  inspect<T extends object>(settings: Settings<T>): T {
    const read = this.known.get(settings) ?? new settings(this.variables);
    this.known.set(settings, read);
    return read as T;
  }

  /** @throws InvalidConfig with all invalid variables found so far */
  check(): this {
    if (this.problems.size > 0) throw new InvalidConfig(this.problems);
    return this;
  }
}

/** Provides the settings of a concern to its module. */
export const settingsProvider = (settings: Settings): Provider => ({
  provide: settings,
  inject: [Config],
  useFactory: (config: Config) => config.read(settings),
});
