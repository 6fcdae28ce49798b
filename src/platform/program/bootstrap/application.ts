import { Config, type Settings } from '../../kernel/config/config.js';
import type { Feature } from './feature.js';
import { PLATFORM_SETTINGS } from './settings.js';

/**
 * All settings: those of the platform and of the modules. Invalid values are replaced with their defaults and
 * listed in `problems`; which variables are misspelled is known now, too.
 */
export function inspectSettings(features: readonly Feature[], config = new Config()): Config {
  const declared = features.flatMap((feature): readonly Settings[] => feature.settings ?? []);
  for (const each of [...PLATFORM_SETTINGS, ...declared]) config.inspect(each);
  return config;
}
