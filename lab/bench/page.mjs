import { median } from './report.mjs';

const NAMES = {
  ours: 'this service',
  against: 'before',
  fastify: 'Fastify',
  'plain-nest': 'plain Nest',
  'express-drizzle': 'Express with Drizzle',
  'stock-nest': 'stock Nest',
};

/** Prints the tables of docs/performance.md. */
export function printPage(samples) {
  const names = Object.keys(NAMES).filter((name) => samples.some(({ server }) => server === name));
  const peers = names.filter((name) => name !== 'ours');
  const works = [...new Set(samples.map(({ work }) => work))];
  const of = (work, server) => samples.filter((one) => one.work === work && one.server === server);

  const ratio = (work, peer) => {
    const theirs = new Map(of(work, peer).map((one) => [one.round, one.serverMicros]));
    if (theirs.size === 0) return '';
    return median(
      of(work, 'ours').map(({ round, serverMicros }) => serverMicros / theirs.get(round)),
    ).toFixed(2);
  };
  const micros = (work) => median(of(work, 'ours').map(({ serverMicros }) => serverMicros)).toFixed(0);
  table(
    ['Work', 'this service, µs', ...peers.map((peer) => `× ${NAMES[peer]}`)],
    works.map((work) => [`\`${work}\``, micros(work), ...peers.map((peer) => ratio(work, peer))]),
  );

  const counts = (work, server) => {
    const taken = of(work, server);
    if (taken.length === 0) return '';
    const count = (name) => median(taken.map((one) => one[name]));
    const calls = count('reads') + count('writes');
    return `${count('kilobytes').toFixed(0)} / ${calls.toFixed(1)} / ${count('passes').toFixed(1)}`;
  };
  const idle = (server) =>
    median(samples.filter((one) => one.server === server).map((one) => one.idle.main / 1000)).toFixed(1);
  table(
    ['KB / reads and writes / passes', ...names.map((name) => NAMES[name])],
    [
      ...works.map((work) => [`\`${work}\``, ...names.map((name) => counts(work, name))]),
      ['idle, ms of the main thread a second', ...names.map(idle)],
    ],
  );
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  console.log(`\n${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}`);
}
