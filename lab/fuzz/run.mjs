import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, leaveEarly } from './exchange.mjs';
import { faults, SLOW } from './hold.mjs';
import { HELP, readOptions } from './options.mjs';
import { exchanges } from './requests.mjs';
import { startService } from './service.mjs';

const ENDLESS = 2 ** 30;
/** How long a client waits that does not read everything, in milliseconds. */
const PATIENCE = 50;
/** Allowed additional descriptors: the measuring connection, and any that PostgreSQL's pool has opened. */
const MORE_DESCRIPTORS = 20;

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await run(options);
} catch (error) {
  console.error(error instanceof TypeError ? `fuzz: ${error.message}` : error);
  process.exitCode = 1;
}

async function run({ seconds, seed }) {
  const service = await startService();
  const seen = { requests: 0, slowest: 0, statuses: {} };
  console.log(`Seed ${seed}, for ${seconds} s.`);
  const begun = performance.now();
  const before = await openDescriptors(service.port);
  try {
    const property = fc.asyncProperty(exchanges(service.key), (sent) => hold(service.port, sent, seen));
    const result = await fc.check(property, {
      seed,
      numRuns: ENDLESS,
      interruptAfterTimeLimit: seconds * 1000,
      verbose: fc.VerbosityLevel.Verbose, // for `failures`
    });
    report(seen, (performance.now() - begun) / 1000);
    if (service.hasEnded()) {
      tell('The service has ended', result.failures[0], seed); // it refuses the smaller ones, too
      return;
    }
    const { counterexample, errorInstance, numShrinks } = result;
    if (counterexample !== null)
      tell(
        `Found after ${numShrinks} steps of shrinking: ${errorInstance?.message ?? 'an error'}`,
        counterexample,
        seed,
      );
    await holdDescriptors(service.port, before);
  } finally {
    await service.stop();
  }
}

async function hold(port, sent, seen) {
  let got = sent.leaving ? await leaveEarly(port, sent, PATIENCE) : await exchange(port, sent, SLOW);
  // The machine may have been busy for a moment. A slow response must be slow twice.
  if (got.isSilent || got.took > SLOW) got = await exchange(port, sent, SLOW);
  seen.requests += sent.methods.length;
  seen.slowest = Math.max(seen.slowest, got.took);
  for (const { status } of got.responses) seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
  const wrong = faults(got, sent);
  if (wrong.length > 0) throw new Error(wrong.join('; '));
}

/** Clients that disconnected must leave nothing open. */
async function holdDescriptors(port, before) {
  const until = performance.now() + 5_000;
  let now = await openDescriptors(port);
  while (now > before + MORE_DESCRIPTORS && performance.now() < until) {
    await sleep(250);
    now = await openDescriptors(port);
  }
  console.log(`Descriptors: ${before} at the start, ${now} at the end.`);
  if (now > before + MORE_DESCRIPTORS) throw new TypeError('closed connections leave descriptors open');
}

async function openDescriptors(port) {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
  return Number(/^process_open_fds (\d+)/m.exec(await response.text())?.[1] ?? 0);
}

function report({ requests, slowest, statuses }, seconds) {
  const perSecond = Math.round(requests / seconds);
  console.log(`${requests} requests, ${perSecond} per second, slowest response ${Math.round(slowest)} ms.`);
  console.log(
    `Responses: ${Object.entries(statuses)
      .map(([status, count]) => `${status} × ${count}`)
      .join(', ')}`,
  );
}

function tell(what, [{ bytes }], seed) {
  const text = bytes.toString('latin1');
  console.error(`\n${what}`);
  console.error(
    text.length > 1_000
      ? `${JSON.stringify(text.slice(0, 1_000))} and ${text.length - 1_000} more`
      : JSON.stringify(text),
  );
  console.error(`To repeat: npm run fuzz -- --seed ${seed}`);
  process.exitCode = 1;
}
