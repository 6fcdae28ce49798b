import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CONNECTIONS = 32;
const run = promisify(execFile);

/** `wrk` if it is installed, because it uses little CPU; otherwise autocannon from npm. */
export const defaultLoader = () => (spawnSync('wrk', ['-v']).error ? 'autocannon' : 'wrk');

/**
 * Sends requests of `work` to `origin` for `seconds` over keep-alive connections, each as soon as the previous response
 * has arrived. Returns the number of responses, their rate, and the 50th and 99th percentiles of response times in
 * microseconds.
 * @throws Error if any response has a status other than the work's
 */
export async function load(
  loader,
  { origin, work, key, seconds, connections = CONNECTIONS, pause = 0, signal },
) {
  const request = {
    url: origin,
    paths: work.paths,
    method: work.method ?? 'GET',
    headers: { authorization: `Bearer ${key}`, ...work.headers },
    body: work.body,
    next: work.next?.first,
  };
  const limits = { status: work.status, seconds, connections, pause };
  const { responses, wrong, micros, p50, p99 } = await loaders[loader](request, limits, signal);
  signal.throwIfAborted();
  work.next?.take(responses + 2 * connections); // requests without a response may have arrived, and wrk prepares some that it does not send
  if (wrong > 0 || responses === 0)
    throw new Error(
      `${request.method} ${origin}${work.paths[0]}: ${responses} responses, ${wrong} failures or not ${work.status}`,
    );
  return { responses, perSecond: responses / (micros / 1e6), p50, p99 };
}

const loaders = {
  async wrk({ url, paths, method, headers, body = '', next = 0 }, limits, signal) {
    const { status, seconds, connections, pause } = limits;
    const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url];
    for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`);
    const folder = await mkdtemp(join(tmpdir(), 'petstore-wrk-'));
    try {
      const list = join(folder, 'paths');
      await writeFile(list, paths.join('\n'));
      const env = {
        ...process.env,
        BENCH_METHOD: method,
        BENCH_BODY: body,
        BENCH_NEXT: next,
        BENCH_PAUSE: pause,
        BENCH_PATHS: list,
      };
      const { stdout } = await run('wrk', args, { env, signal });
      const total = JSON.parse(stdout.trim().split('\n').at(-1));
      // wrk distinguishes only statuses below 400 from others. The exact status is probed once before each load.
      const wrongStatuses = status < 400 ? total.errorStatuses : total.responses - total.errorStatuses;
      return { ...total, wrong: wrongStatuses + total.socketErrors };
    } finally {
      await rm(folder, { recursive: true });
    }
  },

  async autocannon({ paths, body, next, ...request }, { status, seconds, connections }, signal) {
    if (next !== undefined) throw new Error('autocannon repeats its bodies: use wrk'); // each {next} may be used only once
    const { default: autocannon } = await import('autocannon');
    const instance = autocannon({
      ...request,
      connections,
      duration: seconds,
      setupClient: (client) =>
        client.setRequests(drawn(paths).map((path) => ({ ...request, path, body: fill(body) }))),
    });
    const stop = () => instance.stop();
    signal.addEventListener('abort', stop);
    const result = await instance;
    signal.removeEventListener('abort', stop);
    const { [status]: right = { count: 0 }, ...others } = result.statusCodeStats;
    const wrong = Object.values(others).reduce((sum, { count }) => sum + count, result.errors);
    const { p50, p99 } = result.latency; // whole milliseconds
    return {
      responses: right.count,
      wrong,
      micros: (result.finish - result.start) * 1000,
      p50: p50 * 1000,
      p99: p99 * 1000,
    };
  },
};

/** Paths in random order, different for each connection; as many as can be generated quickly. */
const drawn = (paths) =>
  Array.from({ length: Math.min(paths.length, 500) }, () => paths[Math.floor(Math.random() * paths.length)]);

const fill = (body, next) =>
  body?.replace('{random}', Math.floor(Math.random() * 1e9)).replace('{next}', next);

/** Sends one request, to check the response before thousands of them are counted. */
export async function probe({ origin, work, key, signal }) {
  const response = await fetch(origin + work.paths[0], {
    method: work.method,
    headers: { authorization: `Bearer ${key}`, ...work.headers },
    body: fill(work.body, work.next?.take(1)),
    signal,
  });
  const text = await response.text();
  if (response.status !== work.status || !work.check(JSON.parse(text)))
    throw new Error(
      `${origin}${work.paths[0]}: unexpected response ${response.status} ${text.slice(0, 300)}`,
    );
}
