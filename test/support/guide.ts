import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { WorkingCopy } from './checkout.js';

/** `.ci/run` counts the tests that run in the guide's copy: it has no other run of the whole suite on Node.js 24. */
export const { GUIDE_REPORT, CI = '' } = process.env;

/** A piece of code in a documentation page, with the instruction for the reader from the comment before it. */
export interface Piece {
  readonly action: 'file' | 'class' | 'end of' | 'diff' | 'decorate' | 'run' | 'last';
  /** The methods, for `decorate`. */
  readonly method: string;
  /** Empty for a command. */
  readonly path: string;
  readonly code: string;
}

const PIECE =
  /<!-- (file|class|end of|diff|decorate|run|last)(?: ([\w ]+))?(?:: (\S+))? -->\n\n```\w+\n([\s\S]*?)\n```$/gm;

export const piecesOf = (page: string): Piece[] =>
  [...page.matchAll(PIECE)].map(([, action, method = '', path = '', code = '']) => ({
    action: action as Piece['action'],
    method,
    path,
    code,
  }));

/** Applies a piece as a reader would, in a copy of the repository. */
export async function apply({ action, method, path, code }: Piece, copy: WorkingCopy): Promise<void> {
  if (action === 'last') return; // after both chapters
  if (action === 'run') return copy.type(code);
  const file = join(copy.path, path);
  if (action === 'file') {
    await mkdir(dirname(file), { recursive: true });
    return writeFile(file, `${code}\n`);
  }
  const text = await readFile(file, 'utf8');
  await writeFile(file, edit[action](text, code, method));
}

const edit = {
  'end of': (text: string, code: string): string => `${text}\n${code}\n`,
  diff: (text: string, code: string): string => diff(text, code.split('\n')),
  class: (text: string, code: string): string => withImports(text, code, members),
  decorate: (text: string, code: string, method: string): string =>
    withImports(text, code, (old, decorators) => {
      let result = old;
      for (const name of method.split(' ')) {
        const found = classOf(result).members.find((member) => member.name?.getText() === name);
        if (!found) throw new Error(`There is no method ${name}.`);
        result = splice(result, found.getStart(), found.getStart(), `${decorators.trim()}\n  `);
      }
      return result;
    }),
};

/**
 * Lines with a minus are replaced by the plus lines after them, or removed. A plus line alone is added after the line
 * before it.
 */
function diff(text: string, lines: readonly string[]): string {
  let result = text;
  for (const [i, line] of lines.entries()) {
    const content = line.slice(1);
    const before = lines[i - 1] ?? '';
    if (line.startsWith('+')) {
      result = before.startsWith('-')
        ? result.replace(before.slice(1), () => content)
        : result.replace(before.slice(1), (found) => `${found}\n${content}`);
    } else {
      if (!result.includes(content)) throw new Error(`This is not in the file: ${content}`);
      if (!lines[i + 1]?.startsWith('+')) result = result.replace(`${content}\n`, '');
    }
  }
  return result;
}

/** Replaces members of a class by name, or adds them at the end. */
function members(text: string, code: string): string {
  let result = text;
  for (const member of classOf(`class Piece {\n${code}\n}`).members) {
    const own = member.getFullText().replace(/^\n+/, '');
    const found = classOf(result).members.find(({ name }) => name?.getText() === member.name?.getText());
    const end = classOf(result).getEnd() - 1;
    result = found
      ? splice(result, found.getFullStart(), found.getEnd(), `\n\n${own}`)
      : splice(result, end, end, `\n${own}\n`);
  }
  return result;
}

/** Merges the imports of a piece with those of the file, and removes unused ones. */
function withImports(text: string, code: string, change: (text: string, rest: string) => string): string {
  const [head, rest] = splitImports(code);
  const [imports, body] = splitImports(text);
  const changed = change(body, rest);
  const lines = new Set([...imports.split('\n'), ...head.split('\n')].filter((line) => line !== ''));
  const names = new Set<string>();
  const kept = [...lines].flatMap((line) => {
    const [, type = '', list = '', from = ''] = /^import (type )?\{ (.*) \} from ('.*');$/.exec(line) ?? [];
    if (list === '') return [line];
    const needed = list.split(', ').filter((name) => {
      const plain = name.replace('type ', '');
      const isNew = !names.has(plain) && new RegExp(`\\b${plain}\\b`).test(changed);
      names.add(plain);
      return isNew;
    });
    return needed.length > 0 ? [`import ${type}{ ${needed.join(', ')} } from ${from};`] : [];
  });
  return `${merged(kept).join('\n')}\n${changed}`;
}

/** Merges imports from the same file. */
function merged(lines: readonly string[]): string[] {
  const lists = new Map<string, string[]>();
  const others: string[] = [];
  for (const line of lines) {
    const [, type = '', list = '', from = ''] = /^import (type )?\{ (.*) \} from ('\..*');$/.exec(line) ?? [];
    if (list === '') others.push(line);
    else lists.set(from, [...(lists.get(from) ?? []), ...list.split(', ').map((name) => type + name)]);
  }
  return [...others, ...Array.from(lists, ([from, list]) => importLine(list, from))];
}

const importLine = (list: readonly string[], from: string): string =>
  list.every((name) => name.startsWith('type '))
    ? `import type { ${list.map((name) => name.replace('type ', '')).join(', ')} } from ${from};`
    : `import { ${list.join(', ')} } from ${from};`;

/** Splits the imports at the top, each on one line, from the rest. */
function splitImports(code: string): [imports: string, rest: string] {
  const last = [...code.matchAll(/^import [\s\S]*?;$/gm)].at(-1);
  const end = last ? last.index + last[0].length : 0;
  return [
    code
      .slice(0, end)
      .replace(/\{\s+([^}]*?),?\s+\}/g, (_, list: string) => `{ ${list.replace(/\s+/g, ' ')} }`),
    code.slice(end),
  ];
}

function classOf(text: string): ts.ClassDeclaration {
  const source = ts.createSourceFile('piece.ts', text, ts.ScriptTarget.Latest, true);
  const found = source.statements.find(ts.isClassDeclaration);
  if (!found) throw new Error('There is no class.');
  return found;
}

const splice = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end);
