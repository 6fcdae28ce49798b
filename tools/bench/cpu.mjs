import { readdirSync, readFileSync } from 'node:fs';

const MICROS_PER_TICK = 10_000; // USER_HZ is 100 on every Linux that Node.js supports

/** CPU microseconds (user and system) used by a process and all its threads. */
export function processCpu(pid) {
  const stat = readStat(pid);
  if (!stat) throw new Error(`Process ${pid} is gone`);
  return stat.own;
}

/** CPU microseconds of a whole PostgreSQL cluster: the postmaster, its children, and its children that have ended. */
export function clusterCpu(postmaster) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat);
  const children = all.filter((stat) => stat?.parent === postmaster);
  const parent = readStat(postmaster);
  if (!parent) throw new Error('PostgreSQL is gone');
  return children.reduce((sum, { own }) => sum + own, parent.own + parent.ended);
}

/** CPU microseconds of this process and of its children that have ended, which include the load generator. */
export function ownCpu() {
  const stat = readStat(process.pid);
  return stat.own + stat.ended;
}

/** CPU microseconds used by all processes since the machine started; see proc(5), /proc/stat. */
export function machineCpu() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'latin1')
    .match(/\d+/g)
    .map(Number);
  return (user + nice + system + irq + softirq) * MICROS_PER_TICK;
}

/** The parent of a backend on this machine, or undefined if the server runs on another machine. */
export function postmasterOf(backend) {
  const stat = readStat(backend);
  return stat?.command.startsWith('postgres') ? stat.parent : undefined;
}

/** See proc(5), /proc/pid/stat. Undefined if there is no such process. */
function readStat(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const end = text.lastIndexOf(')'); // a command may contain spaces and parentheses
  const fields = text.slice(end + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
  return {
    command: text.slice(text.indexOf('(') + 1, end),
    parent: Number(fields[1]),
    own: (user + system) * MICROS_PER_TICK,
    ended: (endedUser + endedSystem) * MICROS_PER_TICK,
  };
}
