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

/** Prints one line per server of a work: medians over the rounds, with ratios computed within each round. */
export function summarize(samples, work) {
  const ofWork = samples.filter((sample) => sample.work === work);
  /** The ratio to a peer in the same rounds; undefined if the peer does not take part. */
  const ratio = (own, peer) => {
    const rounds = new Map(
      ofWork.filter(({ server }) => server === peer).map(({ round, serverMicros }) => [round, serverMicros]),
    );
    return rounds.size ? median(own.map((s) => s.serverMicros / rounds.get(s.round))) : undefined;
  };
  return [...new Set(ofWork.map(({ server }) => server))].map((server) => {
    const own = ofWork.filter((sample) => sample.server === server);
    const micros = own.map(({ serverMicros }) => serverMicros);
    return {
      server,
      micros: median(micros),
      lowest: Math.min(...micros),
      highest: Math.max(...micros),
      ratio: ratio(own, 'fastify'),
      bareRatio: ratio(own, 'fastify-bare'),
      databaseMicros: own[0].databaseMicros && median(own.map(({ databaseMicros }) => databaseMicros)),
      redisMicros: own[0].redisMicros && median(own.map(({ redisMicros }) => redisMicros)),
      transactions: median(own.map(({ transactions }) => transactions)),
      perSecond: median(own.map(({ perSecond }) => perSecond)),
    };
  });
}

export function printReport(work, lines) {
  const rows = lines.map((line) => [
    line.server,
    line.micros.toFixed(1),
    `${line.lowest.toFixed(0)}..${line.highest.toFixed(0)}`,
    line.ratio?.toFixed(2) ?? '-',
    line.bareRatio?.toFixed(2) ?? '-',
    line.databaseMicros?.toFixed(1) ?? '-',
    line.redisMicros?.toFixed(1) ?? '-',
    line.transactions.toFixed(2),
    line.perSecond.toFixed(0),
  ]);
  print(
    [
      work,
      'CPU us/request',
      'rounds',
      'x fastify',
      'x bare',
      'PostgreSQL us',
      'Redis us',
      'transactions',
      'requests/s',
    ],
    rows,
  );
}

export function print(head, rows) {
  console.log();
  for (const row of [head, ...rows]) {
    const cells = row.map((cell, column) =>
      column === 0 ? String(cell).padEnd(12) : String(cell).padStart(16),
    );
    console.log(cells.join(''));
  }
}

/** Other work on the machine makes every request more expensive, because processes share caches. */
export function warnOfStrangers(samples, work) {
  const shares = samples.filter((sample) => sample.work === work).map(({ strangers = 0 }) => strangers);
  const highest = Math.max(...shares);
  if (highest > 0.1)
    console.log(
      `Up to ${Math.round(highest * 100)} % of the CPU used went to other processes: figures are inflated.`,
    );
}

export function printLatency(lines) {
  print(
    ['latency', 'connections', 'server', 'p50 us', 'p99 us', 'x p50', 'x p99'],
    lines.map(({ work, connections, server, p50, p99, p50Ratio, p99Ratio }) => [
      ...[work, connections, server, p50, p99],
      ...[p50Ratio, p99Ratio].map((ratio) => ratio.toFixed(2)),
    ]),
  );
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Prints the costs of the works with few and with many rows: the server, PostgreSQL, and the ratio of their sums.
 * @param of the property of a sample with the number of rows
 */
export function printSides(samples, of, sizes) {
  const rows = [...new Set(samples.map(({ work }) => work))].map((work) => {
    const sides = sizes.map((size) =>
      samples.filter((sample) => sample.work === work && sample[of] === size),
    );
    const [few, many] = sides;
    const total = ({ serverMicros, databaseMicros = 0 }) => serverMicros + databaseMicros;
    const ratio = median(many.map((sample, round) => total(sample) / total(few[round])));
    return [work.padEnd(16), ...sides.flatMap(microsOf), ratio.toFixed(2)];
  });
  const heads = sizes.flatMap((size) => [`us at ${size}`, 'PostgreSQL us']);
  print([''.padEnd(16), ...heads, 'ratio of sums'], rows);
}

const microsOf = (samples) =>
  ['serverMicros', 'databaseMicros'].map((of) => median(samples.map((sample) => sample[of])).toFixed(1));
