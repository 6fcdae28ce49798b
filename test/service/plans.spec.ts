import { PLANS } from '../../src/plans.js';
import { readText } from '../support/repository.js';

const rates = readText('docs/rate-limits.md');
const cell = (limit: number | string) => (limit === 'custom' ? "the key's own" : limit.toLocaleString('en'));

describe('the plans of the pet store', () => {
  it('are those of the contract', () => {
    const { free, pro, business, enterprise } = PLANS;
    expect([free, pro, business].map(({ perMinute, perDay }) => [perMinute, perDay])).toEqual([
      [60, 1_000],
      [300, 10_000],
      [1_000, 100_000],
    ]);
    expect(enterprise).toMatchObject({ perMinute: 'custom', perDay: 'custom' });
    expect(Object.keys(PLANS)).toEqual(['free', 'pro', 'business', 'enterprise']);
  });

  it.each(Object.entries(PLANS))(
    'docs/rate-limits.md has the limits of %s',
    (plan, { perMinute, perDay }) => {
      const [, minute, day] = new RegExp(`^\\| ${plan} +\\| +(.+?) +\\| +(.+?) +\\|`, 'im').exec(rates) ?? [];
      expect([minute, day]).toEqual([cell(perMinute), cell(perDay)]);
    },
  );

  it('docs/rate-limits.md has the numbers of webhooks', () => {
    const sentence = Object.entries(PLANS).map(
      ([plan, { webhooks }]) => `${plan.charAt(0).toUpperCase()}${plan.slice(1)} ${webhooks}`,
    );
    expect(rates).toContain(sentence.join(', '));
  });
});
