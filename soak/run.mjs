import { setTimeout as sleep } from 'node:timers/promises';
import { growth, measure, settle, table } from './figures.mjs';
import { Losses } from './losses.mjs';
import { HELP, readOptions } from './options.mjs';
import { exceeded, lostPets } from './promises.mjs';
import { openScene } from './scene.mjs';
import { Tally } from './tally.mjs';
import { Timetable } from './timetable.mjs';
import { kinds, run } from './traffic.mjs';

/** Seconds. Caches, pools and compiled code are there after the warm-up, and gone connections after the rest. */
const WARM_UP = 20;
const REST = 60;

const options = optionsOrExit();
if (options.help) process.stdout.write(HELP);
else await soak(options);

function optionsOrExit() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`soak: ${error.message}`);
    return process.exit(1);
  }
}

async function soak({ minutes, faults, every }) {
  const scene = await openScene();
  try {
    await traffic(scene, WARM_UP, { faults: [], every });
    await sleep(6_000); // until idle keep-alive connections are closed
    const before = await measure(scene.replicas);
    for (const line of table('before', before)) console.log(line);
    const { tally, losses } = await traffic(scene, minutes * 60, { faults, every });
    console.log(String(tally));
    const after = await settle(scene.replicas, before, REST);
    for (const line of table('after', after)) console.log(line);
    const lost = await lostPets(scene.postgres.url, tally.created);
    judge(tally, [
      ...exceeded(tally, losses),
      ...growth(before, after),
      ...lost.slice(0, 20).map((id) => `pet ${id}: its creation had the response 201, and it does not exist`),
    ]);
  } finally {
    await scene.stop();
  }
}

async function traffic(scene, seconds, { faults, every }) {
  const tally = new Tally();
  const losses = new Losses();
  const timetable = new Timetable(scene, tally);
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= end;
  const progress = setInterval(() => console.log(`… ${tally}`), 60_000);
  await Promise.all([
    ...kinds.map((kind) => run(kind, { ...scene, tally, timetable }, isOver)),
    losses.watch(scene.replicas, isOver),
    timetable.run(faults, every, isOver),
  ]);
  clearInterval(progress);
  return { tally, losses };
}

function judge(tally, more) {
  const windows = [...tally.perWindow()];
  const most = Math.max(0, ...windows.map(({ count }) => count));
  const broken = [...tally.failures, ...more];
  for (const line of broken) console.error(`Broken: ${line}`);
  console.log(
    `${tally.created.length} pets were created; at most ${most} requests in ${windows.length} windows.`,
  );
  if (broken.length > 0) process.exitCode = 1;
  else console.log('Every promise was kept.');
}
