import { setTimeout as sleep } from 'node:timers/promises';
import { growth, losses, measure, settle, table } from './figures.mjs';
import { HELP, readOptions } from './options.mjs';
import { LIMIT, openScene } from './scene.mjs';
import { Tally } from './tally.mjs';
import { kinds, run } from './traffic.mjs';

/** Seconds. Caches, pools and compiled code are there after the warm-up, and gone connections after the rest. */
const WARM_UP = 20;
const REST = 60;

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await soak(options);
} catch (error) {
  console.error(error instanceof TypeError ? `soak: ${error.message}` : error);
  process.exitCode = 1;
}

async function soak({ minutes, faults }) {
  const scene = await openScene();
  try {
    await traffic(scene, WARM_UP, new Tally());
    await sleep(6_000); // until idle keep-alive connections are closed
    const before = await measure(scene.servers);
    for (const line of table('before', before)) console.log(line);
    const tally = new Tally();
    const flapping = faults ? flap(scene.redis) : undefined;
    await traffic(scene, minutes * 60, tally);
    flapping?.stop();
    console.log(String(tally));
    const after = await settle(scene.servers, before, REST);
    for (const line of table('after', after)) console.log(line);
    // A busy machine may keep Redis from replying within 50 ms: that is a loss of Redis too.
    judge(tally, growth(before, after), losses(after) > losses(before) ? 2 * LIMIT - 1 : LIMIT);
  } finally {
    await scene.stop();
  }
}

async function traffic(scene, seconds, tally) {
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= end;
  const progress = setInterval(() => console.log(`… ${tally}`), 60_000);
  await Promise.all(kinds.map((kind) => run(kind, { ...scene, tally }, isOver)));
  clearInterval(progress);
}

/** Redis is frozen for 1 s, again and again. */
function flap(redis) {
  const timer = setInterval(() => {
    redis.freeze();
    setTimeout(redis.thaw, 1_000);
  }, 10_000);
  return { stop: () => clearInterval(timer) };
}

function judge(tally, grown, bound) {
  const above = tally
    .above(bound)
    .map(([window, count]) => `key ${window}: ${count} admitted, the bound is ${bound}`);
  const broken = [...tally.failures, ...above, ...grown];
  for (const line of broken) console.error(`Broken: ${line}`);
  if (broken.length > 0) process.exitCode = 1;
  else
    console.log(
      `No 5xx, at most ${tally.most} of ${bound} in ${tally.windows.size} windows, nothing has grown.`,
    );
}
