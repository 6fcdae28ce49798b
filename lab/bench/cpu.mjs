import { readdirSync, readFileSync } from 'node:fs';

const MICROS_PER_TICK = 10_000; // USER_HZ is 100 on every Linux that Node.js supports

/** CPU microseconds (user and system) used by a process and all its threads. */
export const processCpu = (pid) => readStat(pid).own;

/**
 * CPU microseconds of the main thread and of all others together (V8's compilers and collectors, libuv's pool), to the nanosecond;
 * see Documentation/scheduler/sched-stats.rst of Linux.
 */
export function threadsCpu(pid) {
  let main = 0;
  let others = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const micros =
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]) / 1000;
    if (Number(thread) === pid) main = micros;
    else others += micros;
  }
  return { main, others };
}

/** Calls of `read`, `write` and their relatives by a process, sockets included; see proc(5), /proc/pid/io. */
export function readsAndWrites(pid) {
  const text = readFileSync(`/proc/${pid}/io`, 'latin1');
  const [reads, writes] = ['syscr', 'syscw'].map((name) =>
    Number(new RegExp(`${name}: (\\d+)`).exec(text)[1]),
  );
  return { reads, writes };
}

/** CPU microseconds of a whole PostgreSQL cluster: the postmaster, its children, and its children that have ended. */
export function clusterCpu(postmaster) {
  const { own, ended } = readStat(postmaster);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readStat(pid);
      } catch {
        return undefined; // it has ended
      }
    })
    .filter((stat) => stat?.parent === postmaster);
  return children.reduce((sum, child) => sum + child.own, own + ended);
}

/** CPU microseconds of this process and of its children that have ended, which include the load generator. */
export function ownCpu() {
  const { own, ended } = readStat(process.pid);
  return own + ended;
}

/** CPU microseconds used by all processes since the machine started; see proc(5), /proc/stat. */
export function machineCpu() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'latin1')
    .match(/\d+/g)
    .map(Number);
  return (user + nice + system + irq + softirq) * MICROS_PER_TICK;
}

export const postmasterOf = (backend) => readStat(backend).parent;

/** Resident memory; see proc(5), /proc/pid/status. */
export const residentMegabytes = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024;

/** See proc(5), /proc/pid/stat. @throws if there is no such process */
function readStat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // a command may contain spaces and parentheses
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
  return {
    parent: Number(fields[1]),
    own: (user + system) * MICROS_PER_TICK,
    ended: (endedUser + endedSystem) * MICROS_PER_TICK,
  };
}
