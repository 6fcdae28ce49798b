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

/** Lists a line per server of a work: medians over the rounds, with ratios to a peer computed within each round. */
export function summarize(samples, work) {
  const ofServer = (server) => samples.filter((sample) => sample.work === work && sample.server === server);
  const servers = new Set(samples.filter((sample) => sample.work === work).map(({ server }) => server));
  const base = PEERS.find((server) => servers.has(server));
  const peer = new Map(ofServer(base).map((sample) => [sample.round, sample]));
  return [...servers].toSorted(byOrder).map((server) => {
    const own = ofServer(server);
    const of = (name) => median(own.map((sample) => sample[name]));
    const all = own.map(({ serverMicros }) => serverMicros);
    return {
      server,
      base,
      micros: of('serverMicros'),
      lowest: Math.min(...all),
      ratio: base && median(own.map((one) => one.serverMicros / peer.get(one.round).serverMicros)),
      lowestRatio: base && Math.min(...all) / Math.min(...ofServer(base).map((one) => one.serverMicros)),
      mainMicros: of('mainMicros'),
      othersMicros: of('othersMicros'),
      kilobytes: of('kilobytes'),
      passes: of('passes'),
      reads: of('reads'),
      writes: of('writes'),
      databaseMicros: of('databaseMicros'),
      redisMicros: of('redisMicros'),
      megabytes: of('megabytes'),
      perSecond: of('perSecond'),
      p50: of('p50'),
    };
  });
}

/** The server that ratios refer to is the first of these that takes part. */
const PEERS = ['fastify', 'against'];

const byOrder = (one, other) => (other === 'ours') - (one === 'ours');

/** Columns: their heads, and the digits of their numbers. */
const COLUMNS = {
  micros: ['CPU us', 1],
  lowest: ['lowest', 1],
  ratio: ['ratio', 2],
  lowestRatio: ['of lowest', 2],
  mainMicros: ['main us', 1],
  othersMicros: ['others us', 1],
  kilobytes: ['KB', 1],
  passes: ['passes', 2],
  reads: ['reads', 2],
  writes: ['writes', 2],
  databaseMicros: ['PostgreSQL', 1],
  redisMicros: ['Redis us', 1],
  megabytes: ['RSS MiB', 0],
  perSecond: ['requests/s', 0],
  p50: ['p50 us', 0],
};

export function printReport(samples, work) {
  const lines = summarize(samples, work);
  const shown = Object.entries(COLUMNS).filter(
    ([name]) => name !== 'redisMicros' || lines.some((line) => line[name] > 0),
  );
  print(
    [work, ...shown.map(([, [head]]) => (head === 'ratio' && lines[0].base ? `x ${lines[0].base}` : head))],
    lines.map((line) => [
      line.server,
      ...shown.map(([name, [, digits]]) => line[name]?.toFixed(digits) ?? '-'),
    ]),
    11,
  );
  const shares = samples.filter((sample) => sample.work === work).map(({ strangers }) => strangers);
  const highest = Math.round(Math.max(...shares) * 100); // they share the processor's caches
  if (highest > 10)
    console.log(
      `Up to ${highest} % of the CPU used went to other processes: CPU figures are inflated, counts are not.`,
    );
}

/** What each server takes while nobody asks it, which the figures of the works leave out. */
export function printIdle(samples) {
  const servers = [...new Set(samples.map(({ server }) => server))];
  const of = (server, thread) =>
    median(samples.filter((one) => one.server === server).map(({ idle }) => idle[thread] / 1000)).toFixed(2);
  print(
    ['idle', 'main ms/s', 'others ms/s'],
    servers.toSorted(byOrder).map((server) => [server, of(server, 'main'), of(server, 'others')]),
  );
}

export function print(head, rows, width = 15) {
  console.log();
  for (const [first, ...others] of [head, ...rows])
    console.log(String(first).padEnd(24) + others.map((cell) => String(cell).padStart(width)).join(''));
}

export function quantile(numbers, fraction) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}

export const median = (numbers) => quantile(numbers, 0.5);
