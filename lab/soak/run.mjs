import { setTimeout as sleep } from 'node:timers/promises';
import { session } from '../bench/session.mjs';
import { growth, measure, settle, table } from './figures.mjs';
import { Losses } from './losses.mjs';
import { Machine } from './machine.mjs';
import { HELP, readOptions } from './options.mjs';
import { exceeded, lostPets, unexplained } from './promises.mjs';
import { openScene } from './scene.mjs';
import { Tally } from './tally.mjs';
import { Timetable } from './timetable.mjs';
import { kinds, run } from './traffic.mjs';

/**
 * Seconds. The warm-up fills caches and pools and compiles code; the pause at the end lets closed connections
 * disappear.
 */
const WARM_UP = 20;
const REST = 60;

const options = optionsOrExit();
if (options.help) process.stdout.write(HELP);
else await session((place) => soak(options, place));

function optionsOrExit() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`soak: ${error.message}`);
    return process.exit(1);
  }
}

/** @returns the exit code */
async function soak({ minutes, faults, every }, { folder, signal, undo }) {
  const scene = await openScene({ folder, undo });
  await traffic(scene, WARM_UP, { faults: [], every, signal });
  await sleep(6_000, undefined, { signal }); // until idle keep-alive connections are closed
  const before = await measure(scene.replicas);
  for (const line of table('before', before)) console.log(line);
  const { tally, losses, machine } = await traffic(scene, minutes * 60, { faults, every, signal });
  console.log(String(tally));
  const { length } = tally.unexpected;
  console.log(
    `${length} of the 503 responses had no fault; the machine was too busy ${machine.times} times.`,
  );
  const after = await settle(scene.replicas, before, REST);
  for (const line of table('after', after)) console.log(line);
  const lost = await lostPets(scene.postgres.url, tally.created);
  return judge(tally, [
    ...unexplained(tally, machine).slice(0, 20),
    ...exceeded(tally, losses),
    ...growth(before, after),
    ...lost.slice(0, 20).map((id) => `pet ${id}: it was created with a 201 but does not exist`),
  ]);
}

async function traffic(scene, seconds, { faults, every, signal }) {
  const tally = new Tally();
  const losses = new Losses();
  const machine = new Machine();
  const timetable = new Timetable(scene, tally);
  const end = performance.now() + seconds * 1000;
  const isOver = () => signal.aborted || performance.now() >= end;
  const progress = setInterval(() => console.log(`… ${tally}`), 60_000);
  await Promise.all([
    ...kinds.map((kind) => run(kind, { ...scene, tally, timetable }, isOver)),
    losses.watch(scene.replicas, isOver),
    machine.watch(scene, isOver),
    timetable.run(faults, every, isOver),
  ]);
  clearInterval(progress);
  signal.throwIfAborted();
  return { tally, losses, machine };
}

function judge(tally, more) {
  const windows = [...tally.perWindow()];
  const most = Math.max(0, ...windows.map(({ count }) => count));
  const broken = [...tally.failures, ...more];
  for (const line of broken) console.error(`Broken: ${line}`);
  console.log(
    `${tally.created.length} pets were created; at most ${most} requests in ${windows.length} windows.`,
  );
  if (broken.length > 0) return 1;
  console.log('Every promise was kept.');
  return 0;
}
