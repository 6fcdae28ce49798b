import { join } from 'node:path';
import { run } from '../support/program.js';

const ROOT = join(import.meta.dirname, '../..');

/** The figure of each line, by what it is of. */
async function capacity(...args: string[]): Promise<Map<string, number>> {
  const { code, stdout } = await run('tools/bench/capacity.mjs', args, { cwd: ROOT });
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  return new Map(
    lines.map((line) => [line.trim().replace(/^\S+ /, ''), Number(/^\s*(\S+)/.exec(line)?.[1])]),
  );
}

describe('npm run capacity', () => {
  it('plans two replicas and one Redis for a small load', async () => {
    const plan = await capacity('--rps', '100');
    expect(plan.get('replicas with one core each')).toBe(2);
    expect(plan.get('Redis masters (two or more form a cluster)')).toBe(1);
    expect(plan.get('cores of PostgreSQL')).toBe(1);
  });

  it('plans ten times as many for ten times the load', async () => {
    const [one, ten] = [await capacity('--rps', '100000'), await capacity('--rps', '1000000')];
    const ratio =
      (ten.get('replicas with one core each') ?? 0) / (one.get('replicas with one core each') ?? 1);
    expect(ratio).toBeGreaterThan(9);
    expect(ratio).toBeLessThan(11);
  });

  it('counts the writes that the reads leave, and the memory of the keys', async () => {
    const plan = await capacity('--rps', '20000', '--reads', '0.75', '--keys', '2e6');
    expect(plan.get('creations a second, each with its event')).toBe(5000);
    expect(plan.get('MB of memory per replica')).toBeGreaterThan(
      (await capacity('--rps', '20000', '--keys', '10')).get('MB of memory per replica') ?? Infinity,
    );
  });

  it('asks for a PgBouncer where the pools of all replicas are too many connections', async () => {
    const connections = 'connections to PostgreSQL';
    const small = await capacity('--rps', '10000');
    const large = await capacity('--rps', '500000');
    expect(small.get(connections)).toBeLessThan(200);
    expect([...small.keys()]).not.toContain('PgBouncer in front of PostgreSQL');
    expect(large.get(connections)).toBeGreaterThan(200);
    expect([...large.keys()]).toContain('PgBouncer in front of PostgreSQL');
  });

  it.each([
    ['without a rate', [], '--rps takes the requests a second, such as 20000'],
    ['with a share above 1', ['--rps', '1', '--reads', '90'], '--reads takes a share from 0 to 1'],
    ['with an unknown option', ['--rsp', '1'], "Unknown option '--rsp'"],
  ])('says in a line what is wrong %s', async (_, args, message) => {
    const { code, stdout, stderr } = await run('tools/bench/capacity.mjs', args, { cwd: ROOT });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^capacity: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});
