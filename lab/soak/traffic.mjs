import { randomBytes, randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const DEEP = '['.repeat(7_500) + ']'.repeat(7_500);
const WIDE = `[${'[],'.repeat(5_000)}[]]`;
const LONG_NUMBER = `{"name":"Rex","categoryId":${'9'.repeat(15_000)}}`;
const HOSTILE_BODIES = [DEEP, WIDE, LONG_NUMBER, `{"name":"${'\\ud83d'.repeat(2_500)}","categoryId":1}`];
const DOCUMENTS = ['/docs/swagger-ui-bundle.js', '/openapi.yaml', '/openapi.json', '/docs', '/metrics'];

/** The kinds of clients, with the pause between their requests in milliseconds. */
export const kinds = [
  [ordinary, 10],
  [ordinary, 10],
  [hasty, 5],
  [steady, 400],
  [banned, 20],
  [randomKeys, 20],
  [rotatingAddresses, 10],
  [hostileBodies, 250],
  [neverReads, 2_000],
  [resets, 300],
  [health, 1_000],
];

/** Sends traffic of one kind to each replica in turn until time runs out. */
export async function run([kind, pause], scene, isOver) {
  const agent = new Agent({ keepAlive: true });
  for (let turn = 0; !isOver(); turn++) {
    const up = scene.replicas.filter(({ isUp }) => isUp);
    const { origin } = up[turn % up.length];
    const begun = performance.now();
    try {
      await kind({ ...scene, origins: up.map((replica) => replica.origin), origin, agent, turn });
    } catch (error) {
      if (!mayEnd(scene, begun)) scene.tally.fail(`${kind.name}: ${error}`);
    }
    await sleep(pause);
  }
  agent.destroy();
}

async function ordinary(scene) {
  const headers = bearer(scene.keys.ordinary);
  await send(scene, 'GET', `/v1/pets?limit=${randomInt(1, 100)}`, { headers });
  await send(scene, 'POST', '/v1/pets', { headers, body: '{"name":"Rex","categoryId":9223372036854775807}' });
  await send(scene, 'GET', '/v1/pets/1', { headers });
}

/** A key that uses up its limit immediately. */
function hasty(scene) {
  return limited('hasty', scene);
}

/** A key that uses up its limit over a minute. */
function steady(scene) {
  return limited('steady', scene);
}

/** When a limited key may send again. */
const quietUntil = {};

/** A key used on all replicas at the same time, up to its limit in each window. */
async function limited(name, scene) {
  if (Date.now() < (quietUntil[name] ?? 0)) return;
  const headers = bearer(scene.keys[name]);
  await Promise.all(
    scene.origins.map(async (origin) => {
      const response = await send({ ...scene, origin }, 'GET', '/v1/pets?limit=1', {
        headers,
        limited: name,
      });
      if (response?.statusCode === 429)
        quietUntil[name] = Number(response.headers['x-ratelimit-reset']) * 1000;
    }),
  );
}

/** A key that keeps sending. */
async function banned(scene) {
  await send(scene, 'GET', '/v1/pets', { headers: bearer(scene.keys.banned) });
}

async function randomKeys(scene) {
  await send(scene, 'GET', '/v1/pets', {
    headers: bearer(`petstore_${randomBytes(36).toString('hex').slice(0, 49)}`),
  });
}

/** Sends each request from a different network, through a trusted proxy. */
async function rotatingAddresses(scene) {
  const network = `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`;
  await send(scene, 'GET', '/v1/pets', { headers: { 'X-Forwarded-For': network } });
}

async function hostileBodies(scene) {
  const body = HOSTILE_BODIES[scene.turn % HOSTILE_BODIES.length];
  await send(scene, 'POST', '/v1/pets', { headers: bearer(scene.keys.ordinary), body });
}

/** Sends hundreds of requests for documents in one packet and never reads the responses. */
async function neverReads({ origin, turn }) {
  const path = DOCUMENTS[turn % DOCUMENTS.length];
  const socket = await open(origin);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: petstore.test\r\n\r\n`.repeat(500));
  await sleep(1_000);
  socket.destroy();
}

/** Disconnects in the middle of a body, of a response, or of 50 pipelined requests. */
async function resets({ origin, keys, turn }) {
  const head = `Host: petstore.test\r\nAuthorization: Bearer ${keys.ordinary}\r\n`;
  const packets = [
    `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`,
    `GET /v1/pets?limit=100 HTTP/1.1\r\n${head}\r\n`.repeat(50),
    `GET /docs/swagger-ui-bundle.js HTTP/1.1\r\n${head}\r\n`,
  ];
  const socket = await open(origin);
  socket.write(packets[turn % packets.length]);
  if (turn % 2 === 0) await sleep(20);
  socket.resetAndDestroy();
}

async function health(scene) {
  await send(scene, 'GET', '/health/ready');
  await send(scene, 'GET', '/metrics');
}

const bearer = (key) => ({ Authorization: `Bearer ${key}` });

function open(origin) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** @returns the response, or undefined if the connection ended before it */
function send(scene, method, path, { headers, body, limited } = {}) {
  const { origin, agent, tally, timetable } = scene;
  const begun = performance.now();
  return new Promise((resolve) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const options = { agent, method, headers: { ...type, ...headers } };
    const sent = request(`${origin}${path}`, options, (response) => {
      const { statusCode: status } = response;
      const ended = (error) => {
        if (!mayEnd(scene, begun)) tally.fail(`${method} ${path}: ${error.message}`);
        resolve(undefined);
      };
      response.on('error', ended).on('end', () => {
        const now = performance.now();
        const allowed = timetable.during(begun, now).some(({ allows }) => allows === '503');
        const what = `${method} ${path}`;
        tally.note({ what, status, headers: response.headers, from: begun, to: now, limited, allowed });
        if (status === 201) tally.created.push(/\d+$/.exec(response.headers.location)[0]);
        resolve(response);
      });
      response.resume();
    });
    sent.on('error', (error) => {
      // After refusing a body, the service closes the connection. A client may reuse it before it notices.
      if (!sent.reusedSocket && !mayEnd(scene, begun)) tally.fail(`${method} ${path}: ${error.message}`);
      resolve(undefined);
    });
    sent.end(body);
  });
}

/** Whether connections may have been closed since the given time, because a replica was killed. */
const mayEnd = ({ timetable }, begun) =>
  timetable.during(begun, performance.now()).some(({ allows }) => allows === 'reset');
