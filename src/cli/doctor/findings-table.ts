import { table } from '../keys/print.js';
import type { Finding } from './finding.js';

/** Findings as people see them: what to do about one stands below it. */
export function findingsTable(findings: readonly Finding[]): string {
  return table(
    ['STATE', 'CHECK', 'FINDING'],
    findings.flatMap(({ state, check, finding, advice }) => [
      [state, check, finding],
      ...(advice === null ? [] : [['', '', `→ ${advice}`]]),
    ]),
  );
}
