import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS } from './faults.mjs';

/** Seconds. */
const LENGTH = 5;
const RECOVERY = 15; // the documents promise 5 s, on a machine that does nothing else
/** Milliseconds. */
const POLL = 100;
const ON_THEIR_WAY = 1_000;

/** Records which faults ran when. A fault ends when every replica is ready again. */
export class Timetable {
  #runs = [];

  constructor(scene, tally) {
    this.scene = scene;
    this.tally = tally;
  }

  /** Runs one fault in each period of `every` seconds. */
  async run(names, every, isOver) {
    for (let turn = 0; names.length > 0; turn++) {
      const end = performance.now() + every * 1000;
      await until(end - (every * 1000) / 2, isOver);
      if (isOver()) return;
      await this.#inject(names[turn % names.length], turn);
      await until(end, isOver);
    }
  }

  /** The faults that ran at any time in a span. */
  during(from, to) {
    return this.#runs.filter((run) => run.from <= to && from <= run.to).map(({ name }) => FAULTS[name]);
  }

  async #inject(name, turn) {
    const fault = FAULTS[name];
    const run = { name, from: performance.now(), to: Infinity };
    const refused = this.tally.count(503);
    this.#runs.push(run);
    await fault.begin(this.scene, turn);
    await sleep(LENGTH * 1000);
    await fault.end(this.scene, turn);
    const took = await this.#recovery(name);
    run.to = performance.now() + ON_THEIR_WAY;
    const seen = this.tally.count(503) - refused;
    console.log(`Fault ${name}: ${LENGTH} s; ready again after ${Math.round(took)} ms; 503 × ${seen}`);
  }

  /** Waits until every replica is ready. @returns how long that took, in milliseconds */
  async #recovery(name) {
    const begun = performance.now();
    while (!(await this.scene.isWhole())) {
      if (performance.now() > begun + RECOVERY * 1000) {
        this.tally.fail(`${name}: a replica was still not ready ${RECOVERY} s after the fault ended`);
        break;
      }
      await sleep(POLL);
    }
    return performance.now() - begun;
  }
}

async function until(time, isOver) {
  while (performance.now() < time && !isOver()) await sleep(POLL);
}
