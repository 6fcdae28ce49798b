import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/** Describes what was measured, and on which machine. */
export function setting({ node, rounds, measureSeconds }) {
  return {
    date: new Date().toISOString(),
    node: `Node.js ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`,
    cpu: `${cpus().length} x ${cpus()[0].model.trim()}`,
    rounds: `${rounds} rounds of ${measureSeconds} s`,
  };
}

/**
 * What `--assert` enforces: CPU per request of our service as a multiple of the Fastify peer that does the same work,
 * in the same run, and of `refused` as a multiple of our own list. The bounds are about twice what was measured,
 * because CI machines are noisy: they catch breakage, not a loss of 10 %.
 */
const BOUNDS = { list: 4.8, one: 6, create: 3.6, update: 5, order: 4.5, refused: 0.9 };

/** The works that exceed their bound, or cannot be compared with it because what they are compared with did not run. */
export function exceededBounds(samples) {
  const own = (work) => summarize(samples, work).find(({ server }) => server === 'ours');
  const ratio = (work) => (work === 'refused' ? own(work)?.micros / own('list')?.micros : own(work)?.ratio);
  return Object.keys(BOUNDS).filter((work) => own(work) && !(ratio(work) <= BOUNDS[work]));
}

/** Lists a line per server of a work: medians over the rounds, with ratios computed within each round. */
export function summarize(samples, work) {
  const ofServer = (server) => samples.filter((sample) => sample.work === work && sample.server === server);
  const servers = new Set(samples.filter((sample) => sample.work === work).map(({ server }) => server));
  const peer = ofServer('fastify');
  return [...servers].map((server) => {
    const own = ofServer(server);
    const of = (name) => median(own.map((sample) => sample[name]));
    const ratio = (name) => median(own.map((sample, round) => sample[name] / peer[round][name]));
    const all = own.map(({ serverMicros }) => serverMicros);
    return {
      server,
      micros: of('serverMicros'),
      range: `${Math.min(...all).toFixed(0)}..${Math.max(...all).toFixed(0)}`,
      ratio: peer.length > 0 ? ratio('serverMicros') : undefined,
      databaseMicros: of('databaseMicros'),
      redisMicros: of('redisMicros'),
      megabytes: of('megabytes'),
      perSecond: of('perSecond'),
      p50: of('p50'),
      p50Ratio: peer.length > 0 ? ratio('p50') : undefined,
    };
  });
}

const HEAD = [
  'CPU us',
  'rounds',
  'x fastify',
  'PostgreSQL us',
  'Redis us',
  'RSS MiB',
  'requests/s',
  'p50 us',
  'x p50',
];

export function printReport(samples, work) {
  print(
    [work, ...HEAD],
    summarize(samples, work).map((line) => [
      line.server,
      line.micros.toFixed(1),
      line.range,
      line.ratio?.toFixed(2) ?? '-',
      line.databaseMicros.toFixed(1),
      line.redisMicros.toFixed(1),
      line.megabytes.toFixed(0),
      line.perSecond.toFixed(0),
      line.p50,
      line.p50Ratio?.toFixed(2) ?? '-',
    ]),
  );
  const shares = samples.filter((sample) => sample.work === work).map(({ strangers }) => strangers);
  const highest = Math.round(Math.max(...shares) * 100); // they share the processor's caches
  if (highest > 10)
    console.log(`Up to ${highest} % of the CPU used went to other processes: figures are inflated.`);
}

export function print(head, rows) {
  console.log();
  for (const [first, ...others] of [head, ...rows])
    console.log(String(first).padEnd(24) + others.map((cell) => String(cell).padStart(15)).join(''));
}

export function quantile(numbers, fraction) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}

const median = (numbers) => quantile(numbers, 0.5);
