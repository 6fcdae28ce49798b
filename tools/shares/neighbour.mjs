// A client that sends one list after the other, and measures how much CPU time the service uses until it gets its response.
import { Agent, request } from 'node:http';
import { readFileSync } from 'node:fs';

const { pid, origin, key, kept } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: kept });
let isStopping = false;
process.on('message', () => (isStopping = true));

/** CPU milliseconds of the main thread; see proc(5), /proc/pid/schedstat. Other load on the machine does not count. */
const cpu = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;

const ask = () =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` };
    const outgoing = request(`${origin}/v1/pets?limit=20`, { agent, headers }, (response) =>
      response.resume().on('close', () => resolve(response.statusCode)),
    );
    outgoing.on('error', ({ code }) => resolve(code)).end();
  });

await ask();
process.send('ready');
const waits = [];
const failures = {};
while (!isStopping) {
  const before = cpu();
  const status = await ask();
  if (status === 200) waits.push(cpu() - before);
  else failures[status] = (failures[status] ?? 0) + 1;
}
waits.sort((a, b) => a - b);
process.send({ count: waits.length, p50: waits[Math.floor(waits.length / 2)], most: waits.at(-1), failures });
process.disconnect();
agent.destroy();
