interface Response {
  readonly what: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly from: number;
  readonly to: number;
  readonly limited?: string;
  /** Whether a fault of PostgreSQL runs. */
  readonly allowed: boolean;
}

interface Tally {
  /** Those with a 5xx that no fault explains. */
  readonly unexpected: readonly { readonly status: number; readonly isDocumented: boolean }[];
  note(response: Response): void;
  perWindow(): Iterable<{ readonly key: string; readonly count: number }>;
}

const url = new URL('../../tools/soak/tally.mjs', import.meta.url).href;
const { Tally } = (await import(url)) as { Tally: new () => Tally }; // the soak is not compiled, so it has no types

const response = { what: 'GET /v1/pets', from: 0, to: 1, headers: {}, status: 200, allowed: false };

describe('npm run soak', () => {
  it('accepts a 503 with Retry-After in a fault of PostgreSQL, and no other 5xx', () => {
    const tally = new Tally();
    const unavailable = { ...response, status: 503, headers: { 'retry-after': '1' } };
    tally.note({ ...unavailable, allowed: true });
    expect(tally.unexpected).toEqual([]);
    tally.note(unavailable);
    tally.note({ ...unavailable, allowed: true, headers: {} });
    tally.note({ ...response, status: 500, allowed: true });
    expect(tally.unexpected.map(({ status, isDocumented }) => [status, isDocumented])).toEqual([
      [503, true],
      [503, false],
      [500, false],
    ]);
  });

  it('counts what a key had in each window, under whichever end the processes name', () => {
    const tally = new Tally();
    const until = (end: number) => ({
      ...response,
      limited: 'a',
      headers: { 'x-ratelimit-reset': `${end}` },
    });
    for (const end of [1000, 1060, 1020, 1118, 1120, 1060]) tally.note(until(end));
    tally.note({ ...until(1000), status: 429 });
    expect([...tally.perWindow()].map(({ count }) => count)).toEqual([2, 3, 1]);
  });
});
