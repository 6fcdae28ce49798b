import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CONNECTIONS = 32;
const run = promisify(execFile);

/** `wrk` if it is installed (it takes little CPU itself), otherwise autocannon from npm. */
export const defaultLoader = () => (spawnSync('wrk', ['-v']).error ? 'autocannon' : 'wrk');

/**
 * Asks `work` of `origin` for `seconds` over keep-alive connections, each sending as soon as it has its answer.
 * Throws when a single answer has another status than the work's. Gives the number of answers and their rate.
 */
export async function load(loader, { origin, work, key, seconds, signal }) {
  const request = {
    url: origin + work.path,
    method: work.method ?? 'GET',
    headers: { authorization: `Bearer ${key}`, ...work.headers },
    body: work.body,
  };
  const { answers, wrong, micros } = await loaders[loader](request, work.status, seconds, signal);
  signal.throwIfAborted();
  if (wrong > 0 || answers === 0)
    throw new Error(
      `${request.method} ${request.url}: ${answers} answers, ${wrong} failures or not ${work.status}`,
    );
  return { answers, perSecond: answers / (micros / 1e6) };
}

const loaders = {
  async wrk({ url, method, headers, body = '' }, status, seconds, signal) {
    const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
    const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, url];
    for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`);
    const env = { ...process.env, BENCH_METHOD: method, BENCH_BODY: body };
    const { stdout } = await run('wrk', args, { env, signal });
    const total = JSON.parse(stdout.trim().split('\n').at(-1));
    // wrk tells apart only below and from 400; the exact status is probed once before each load.
    const wrongStatuses = status < 400 ? total.errorStatuses : total.answers - total.errorStatuses;
    return { answers: total.answers, wrong: wrongStatuses + total.socketErrors, micros: total.micros };
  },

  async autocannon(request, status, seconds, signal) {
    const { default: autocannon } = await import('autocannon');
    const instance = autocannon({ ...request, connections: CONNECTIONS, duration: seconds });
    const stop = () => instance.stop();
    signal.addEventListener('abort', stop);
    const result = await instance;
    signal.removeEventListener('abort', stop);
    const { [status]: right = { count: 0 }, ...others } = result.statusCodeStats;
    const wrong = Object.values(others).reduce((sum, { count }) => sum + count, result.errors);
    return { answers: right.count, wrong, micros: (result.finish - result.start) * 1000 };
  },
};

/** One request, to see that the answer is the right one before thousands of them are counted. */
export async function probe({ origin, work, key, signal }) {
  const response = await fetch(origin + work.path, {
    method: work.method,
    headers: { authorization: `Bearer ${key}`, ...work.headers },
    body: work.body,
    signal,
  });
  const text = await response.text();
  if (response.status !== work.status || !work.check(JSON.parse(text)))
    throw new Error(`${origin}${work.path}: unexpected answer ${response.status} ${text.slice(0, 300)}`);
}
