import { Logger } from './logger.js';
import { ofRequest, ofService } from './standard-output.js';
import { RequestLog } from './request-log.js';

const mark = (color: string) => (text: string | number) => `<${color}>${text}</${color}>`;
const colors = { green: mark('green'), cyan: mark('cyan'), yellow: mark('yellow'), red: mark('red') };
const line = { method: 'GET', route: '/v1/*path', status: 404, durationMs: 1.5 };

describe('a log line on a terminal', () => {
  it('shows the path of a 404 instead of its route', () => {
    expect(ofRequest({ ...line, path: '/v1/cats' }, colors)).toBe(
      'GET /v1/cats <yellow>404</yellow> in 1.5 ms, no key',
    );
  });

  it.each([
    [200, 'green'],
    [304, 'cyan'],
    [429, 'yellow'],
    [503, 'red'],
  ])('shows %s in %s', (status, color) => {
    expect(ofRequest({ ...line, status }, colors)).toContain(`<${color}>${status}</${color}>`);
  });

  it('prints each line of a stack separately', () => {
    const stack = 'Error: no\n    at run (a.ts:1:1)';
    expect(ofService({ context: 'ErrorFilter', requestId: 'a', stack }, 'no')).toBe(
      `[ErrorFilter] a no\n${stack}`,
    );
  });
});

describe('RequestLog', () => {
  /** The log line of a request for this URL. */
  function written(url: string, status: number, destination: object = {}): Record<string, unknown> {
    const lines: string[] = [];
    const write = (text: string) => lines.push(text);
    const log = new RequestLog(new Logger({ logLevel: 'info' }, { write, ...destination }));
    const request = { id: 'a', method: 'GET', headers: {}, originalUrl: url } as Parameters<
      RequestLog['record']
    >[0]['request'];
    log.record({ request, route: 'none', status, duration: 1, complete: true });
    return JSON.parse(lines.join('')) as Record<string, unknown>;
  }

  it.each([
    ['/v1/cats?key=secret', '/v1/cats'],
    ['/\x1b[2J\x9b', '/?[2J?'],
    [`/${'a'.repeat(500)}`, `/${'a'.repeat(199)}`],
  ])('shows the path of a 404 on a terminal, without query and control characters', (url, path) => {
    expect(written(url, 404, { showsPaths: true })).toMatchObject({ path });
  });

  it('omits the path otherwise', () => {
    expect(written('/v1/pets', 200, { showsPaths: true })).not.toHaveProperty('path');
    expect(written('/v1/cats', 404)).not.toHaveProperty('path');
  });
});
