import { ofRequest, ofService } from './standard-output.js';

const mark = (color: string) => (text: string | number) => `<${color}>${text}</${color}>`;
const colors = { green: mark('green'), cyan: mark('cyan'), yellow: mark('yellow'), red: mark('red') };
const line = { method: 'GET', route: '/v1/*path', status: 404, durationMs: 1.5 };

describe('a log line on a terminal', () => {
  it('names the route', () => {
    expect(ofRequest(line, colors)).toBe('GET /v1/*path <yellow>404</yellow> in 1.5 ms, no key');
  });

  it.each([
    [200, 'green'],
    [304, 'cyan'],
    [429, 'yellow'],
    [503, 'red'],
  ])('shows %s in %s', (status, color) => {
    expect(ofRequest({ ...line, status }, colors)).toContain(`<${color}>${status}</${color}>`);
  });

  it('says why: the reason, or the code of the Error', () => {
    const refused = { ...line, code: 'route_not_found' };
    expect(ofRequest(refused, colors)).toMatch(/, no key: route_not_found$/);
    expect(ofRequest({ ...refused, reason: 'no paper' }, colors)).toMatch(/, no key: no paper$/);
  });

  it('prints each line of a stack separately', () => {
    const stack = 'Error: no\n    at run (a.ts:1:1)';
    expect(ofService({ context: 'ErrorFilter', requestId: 'a', stack }, 'no')).toBe(
      `[ErrorFilter] a no\n${stack}`,
    );
  });
});
