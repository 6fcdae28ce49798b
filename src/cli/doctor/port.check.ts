import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import { checkAddress } from '../../bootstrap/listen.js';
import { fail, type Finding, ok, reasonOf } from './finding.js';

/** Whether the service could listen, or does so already. */
export async function checkPort({ host, port }: Config): Promise<Finding[]> {
  if (port === 0) return [ok('port', 'any that is free')];
  try {
    await checkAddress({ host, port });
    return [ok('port', `${port} is free on ${host}`)];
  } catch (error) {
    if (await isPetstore(host, port)) return [ok('port', `a pet store listens on ${port} already`)];
    const [finding = '', ...advice] = reasonOf(error).split(/(?<=\.) /);
    return [fail('port', finding, advice.join(' ') || null)];
  }
}

/** By its document, which needs no key and counts for no quota. */
async function isPetstore(host: string, port: number): Promise<boolean> {
  try {
    const { info } = (await json(await answerOf(host, port))) as { info?: { title?: unknown } };
    return info?.title === 'Pet Store';
  } catch {
    return false;
  }
}

/** Not `fetch`, which in Node 20 waits for ever for a server that only hangs up. */
function answerOf(host: string, port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get({ host: callable(host), port, path: '/openapi.json', timeout: seconds(1) }, resolve);
    request.once('error', reject).once('timeout', () => request.destroy());
  });
}

/** Every address can be listened on as one, but not called. */
const callable = (host: string): string => (host === '0.0.0.0' || host === '::' ? 'localhost' : host);
