import type { Provider } from '@nestjs/common';
import { StartupError } from '../errors/common.errors.js';
import { type Environment, Variables } from './variables.js';

/** All invalid variables, in one message. */
class InvalidConfig extends StartupError {
  /** @param problems by variable, one line each */
  constructor(problems: ReadonlyMap<string, string>) {
    const lines = [...problems.values()];
    super(
      lines.length === 1 ? lines.join() : [`${lines.length} variables are invalid.`, ...lines].join('\n  '),
    );
  }
}

/** The class of the settings of one concern, which stands in its folder and reads its variables in its constructor. */
export type Settings<T extends object = object> = new (variables: Variables) => T;

/** The settings from the environment, by concern. No other folder reads `process.env`. */
export class Config {
  private readonly variables: Variables;
  private readonly known = new Map<Settings, object>();

  constructor(env: Environment = process.env) {
    this.variables = new Variables(env);
  }

  /** What is wrong with the variables of the settings so far, by variable, one line each. */
  get problems(): ReadonlyMap<string, string> {
    return this.variables.problems;
  }

  /** The settings of a concern. @throws InvalidConfig */
  read<T extends object>(settings: Settings<T>): T {
    const read = this.inspect(settings);
    this.check();
    return read;
  }

  /** The same, with the default of each invalid variable. */
  inspect<T extends object>(settings: Settings<T>): T {
    const read = this.known.get(settings) ?? new settings(this.variables);
    this.known.set(settings, read);
    return read as T;
  }

  /** @throws InvalidConfig with every variable that was found invalid */
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
