import { writeJson } from '../../kernel/json/write-json.js';

/** Prints a command's result: as JSON for programs, or as text for people. */
export function print(json: true | undefined, value: unknown, text: () => string): void {
  process.stdout.write(`${json ? writeJson(value, 2) : text()}\n`);
}

/** Columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
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
