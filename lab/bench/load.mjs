import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export function requireWrk() {
  if (spawnSync('wrk', ['-v']).error)
    throw new Error('wrk is missing: install it, such as by "apt install wrk"');
}

/**
 * Sends requests of `work` to `origin` for `seconds` over keep-alive connections, each as soon as the previous response
 * has arrived, and each by the next one of `keys`. Returns the number of responses, their rate, and the 50th percentile of response times in microseconds.
 * @throws Error if any response has a status other than the work's
 */
export async function load({ origin, work, keys, seconds, connections, signal }) {
  const method = work.method ?? 'GET';
  const folder = await mkdtemp(join(tmpdir(), 'petstore-wrk-'));
  try {
    const paths = join(folder, 'paths');
    await writeFile(paths, work.paths.join('\n'));
    const env = {
      ...process.env,
      BENCH_METHOD: method,
      BENCH_BODY: work.body ?? '',
      BENCH_KEYS: keys.join(','),
      BENCH_NEXT: work.next?.first ?? 0,
      BENCH_PATHS: paths,
    };
    const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, origin];
    const headers = keys.length > 1 ? work.headers : { authorization: `Bearer ${keys[0]}`, ...work.headers };
    for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`);
    const { stdout } = await promisify(execFile)('wrk', args, { env, signal });
    const { responses, errorStatuses, socketErrors, micros, p50 } = JSON.parse(
      stdout.trim().split('\n').at(-1),
    );
    work.next?.take(responses + 2 * connections); // some may have arrived without a response, others were prepared and not sent
    // wrk distinguishes only statuses below 400 from others. The exact status is probed once before each load.
    const wrong = socketErrors + (work.status < 400 ? errorStatuses : responses - errorStatuses);
    if (wrong > 0 || responses === 0)
      throw new Error(
        `${method} ${work.paths[0]}: ${responses} responses, ${wrong} failures or not ${work.status}`,
      );
    return { responses, perSecond: responses / (micros / 1e6), p50 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Sends one request, to check the response before thousands of them are counted. */
export async function probe({ origin, work, keys: [key], signal }) {
  const response = await fetch(origin + work.paths[0], {
    method: work.method,
    headers: { authorization: `Bearer ${key}`, ...work.headers },
    body: work.body?.replace('{random}', '0').replace('{next}', work.next?.take(1)),
    signal,
  });
  const text = await response.text();
  if (response.status !== work.status || !work.check(JSON.parse(text)))
    throw new Error(`${work.paths[0]}: unexpected response ${response.status} ${text.slice(0, 300)}`);
}
