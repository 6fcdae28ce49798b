// A client that lists and writes in turn, and measures how much CPU time the service uses until each response.
import { Agent, request } from 'node:http';
import { readFileSync } from 'node:fs';

const { pid, origin, key, kept } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: kept });
let isStopping = false;
process.on('message', () => (isStopping = true));

/** CPU milliseconds of the main thread; see proc(5), /proc/pid/schedstat. Other load on the machine does not count. */
const cpu = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;

const PET = '{"name":"Rex","categoryId":1}';
const JSON_TYPE = { 'content-type': 'application/json' };
let count = 0;
const KINDS = {
  list: () => ({ path: '/v1/pets?limit=20' }),
  create: () => ({ method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: PET }),
  once: () => ({
    method: 'POST',
    path: '/v1/pets',
    headers: { ...JSON_TYPE, 'idempotency-key': `${pid}-${++count}` },
    body: PET,
  }),
  change: () => ({
    method: 'PATCH',
    path: '/v1/pets/2',
    headers: JSON_TYPE,
    body: `{"name":"Rex ${++count}"}`,
  }),
};

const ask = ({ path, method = 'GET', headers = {}, body }) =>
  new Promise((resolve) => {
    const outgoing = request(
      `${origin}${path}`,
      { agent, method, headers: { authorization: `Bearer ${key}`, ...headers } },
      (response) => response.resume().on('close', () => resolve(response.statusCode)),
    );
    outgoing.on('error', ({ code }) => resolve(code)).end(body);
  });

const kinds = Object.entries(KINDS);
for (const [, make] of kinds) await ask(make());
process.send('ready');
const waits = Object.fromEntries(kinds.map(([kind]) => [kind, []]));
const failures = {};
for (let i = 0; !isStopping || i < kinds.length; i++) {
  const [kind, make] = kinds[i % kinds.length];
  const before = cpu();
  const status = await ask(make());
  if (status === 200 || status === 201) waits[kind].push(cpu() - before);
  else failures[`${kind} ${status}`] = (failures[`${kind} ${status}`] ?? 0) + 1;
}
const all = Object.values(waits)
  .flat()
  .sort((a, b) => a - b);
const most = Object.fromEntries(
  Object.entries(waits).map(([kind, values]) => [kind, values.length > 0 ? Math.max(...values) : NaN]),
);
process.send({ count: all.length, p50: all[Math.floor(all.length / 2)] ?? NaN, most, failures });
process.disconnect();
agent.destroy();
