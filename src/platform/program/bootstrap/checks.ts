import { type CheckResult, fail, ok, sentenceOf, warn } from '../../kernel/config/check-result.js';
import type { Config } from '../../kernel/config/config.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { checkPublicAddress } from '../../http/core/public-address.check.js';
import { StartLines } from './start-lines.js';

/**
 * The checks of the settings, in order; those of the database are in `database/checks`. Doctor and the start
 * run the same ones.
 * @param config with all settings
 */
export const checkSettings = (config: Config): CheckResult[] => [
  ...checkVariables(config),
  ...checkPublicAddress(config),
];

function checkVariables({ problems, misspelled }: Config): CheckResult[] {
  return [
    ...(problems.size === 0 ? [ok('configuration', 'all variables are valid')] : []),
    ...[...problems.values()].map((finding) => fail('configuration', finding, null)),
    ...[...misspelled].map(([name, meant]) =>
      warn('configuration', `nothing reads ${name}`, `Set ${meant} if you mean that.`),
    ),
  ];
}

/** Logs warnings. @throws StartupError with all that fails */
export function reportChecks(results: readonly CheckResult[]): void {
  for (const result of results) if (result.state === 'warn') StartLines.warn(sentenceOf(result));
  const failed = results.filter(({ state }) => state === 'fail').map(sentenceOf);
  if (failed.length === 0) return;
  const head = failed.length === 1 ? [] : [`${failed.length} checks failed.`];
  throw new StartupError([...head, ...failed].join('\n  '));
}
