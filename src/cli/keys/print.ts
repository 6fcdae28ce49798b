import { writeJson } from '../../kernel/json/write-json.js';
import { visible, visibleLines } from '../visible.js';

/** Prints a command's result: as JSON for programs, or as text for people. */
export function print(json: true | undefined, value: unknown, text: () => string): void {
  process.stdout.write(`${json ? visibleLines(writeJson(value, 2)) : text()}\n`);
}

/** Columns as wide as their widest cell. No cell can act on the terminal, or look like a row of its own. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(visible));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
