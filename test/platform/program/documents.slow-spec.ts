import { Worker } from 'node:worker_threads';
import { Petstore } from '../../support/petstore.js';
import { ServiceProcesses } from '../../support/service-process.js';

const DOWNLOADS = 100; // at the same time
const REQUESTS = 200;
const MOST = 30; // milliseconds
/** The machine itself may be busy: what the same requests take without downloads, times this. */
const TIMES = 4;

/** Downloads a file over and over, without compression. Tells how often once there are enough, and when it is asked. */
const DOWNLOADER = `
const { workerData, parentPort } = require('node:worker_threads');
const { Agent, get } = require('node:http');
const agent = new Agent({ keepAlive: true, maxSockets: workerData.connections });
let done = 0;
const next = () => get(workerData.url, { agent }, (response) => {
  response.resume().on('end', () => {
    done += 1;
    if (done === workerData.connections + 1) parentPort.postMessage({ done });
    next();
  });
}).on('error', () => parentPort.postMessage({ failed: true }));
for (let i = 0; i < workerData.connections; i++) next();
parentPort.on('message', () => parentPort.postMessage({ done }));
`;

describe('100 anonymous connections that download the files of the page', () => {
  it('leave the requests of others quick', async () => {
    const petstore = await Petstore.start();
    const processes = await ServiceProcesses.on(petstore.databaseUrl, {});
    const { url } = await processes.start();
    const headers = { Authorization: `Bearer ${await petstore.key()}` };
    /** Of so many requests, and of all until a condition holds. */
    const median = async (isEnough = () => true) => {
      const times: number[] = [];
      while (times.length < REQUESTS || !isEnough()) {
        const began = performance.now();
        const response = await fetch(`${url}/v1/pets?limit=1`, { headers });
        await response.arrayBuffer();
        expect(response.status).toBe(200);
        times.push(performance.now() - began);
      }
      return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
    };
    await median(); // warms it up
    const quiet = await median();
    const worker = new Worker(DOWNLOADER, {
      eval: true,
      workerData: { url: `${url}/docs/swagger-ui-bundle.js`, connections: DOWNLOADS },
    });
    let hasDownloaded = false; // each connection has, and one of them again
    worker.once('message', () => (hasDownloaded = true));
    const busy = await median(() => hasDownloaded);
    const told = new Promise<unknown>((resolve) => worker.once('message', resolve));
    worker.postMessage('');
    const { done = 0 } = (await told) as { done?: number };
    await worker.terminate();
    await processes.stop();
    await petstore.stop();

    process.stderr.write(
      `${done} downloads; p50 of others ${busy.toFixed(1)} ms, ${quiet.toFixed(1)} ms without them.\n`,
    );
    expect(done).toBeGreaterThan(DOWNLOADS);
    expect(busy).toBeLessThan(Math.max(MOST, TIMES * quiet));
  });
});
