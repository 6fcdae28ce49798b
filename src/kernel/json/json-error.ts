const WHAT = {
  syntax: 'an unexpected character',
  end: 'an unexpected end',
  depth: 'a value nested too deep',
} as const;

/** Text that is not JSON, or JSON that is nested deeper than this service reads. */
export class JsonError extends SyntaxError {
  /** @param at where, in UTF-16 code units from the start */
  constructor(problem: keyof typeof WHAT, text: string, at: number) {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    super(`${WHAT[problem]} at line ${line}, column ${column}`);
  }
}
