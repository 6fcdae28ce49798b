import { summarize } from './report.mjs';

/**
 * What `--assert` enforces: CPU per request of our service as a multiple of the Fastify peer that does the same work,
 * in the same run, and of `refused` as a multiple of our own list. The bounds are about 1.5 times what was measured,
 * because CI machines are noisy: they catch breakage, not a loss of 10 %.
 */
const bounds = {
  24: {
    list: 1.5,
    'list-varied': 2.2,
    list100: 1.3,
    get: 2.3,
    'get-varied': 2.3,
    create: 1.6,
    update: 3.5,
    order: 3,
    refused: 1.2,
  },
  20: {
    list: 1.4,
    'list-varied': 1.8,
    list100: 1,
    get: 1.6,
    'get-varied': 1.9,
    create: 1.3,
    update: 2.3,
    order: 2.3,
    refused: 1.2,
  },
};

/** Lists the works that exceed their bound, with a line for each. */
export function exceededBounds(node, samples) {
  const major = Number(/v(\d+)/.exec(node)[1]);
  const measured = new Set(samples.map(({ work }) => work));
  return Object.entries(bounds[major >= 22 ? 24 : 20]).flatMap(([work, bound]) => {
    if (!measured.has(work)) return [];
    const ratio = ratioOf(samples, work);
    if (ratio <= bound) return [];
    const peer = work === 'refused' ? 'our own list' : 'fastify';
    const line = `${work}: ${ratio?.toFixed(2) ?? 'unmeasured'}, the bound is ${bound} times ${peer}`;
    return [{ work, line }];
  });
}

function ratioOf(samples, work) {
  const own = (name) => summarize(samples, name).find(({ server }) => server === 'ours');
  return work === 'refused' ? own('refused').micros / own('list')?.micros : own(work)?.ratio;
}
