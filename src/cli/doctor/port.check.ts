import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { seconds } from '../../kernel/clock/duration.js';
import type { HttpConfig } from '../../http/http.config.js';
import { checkAddress } from '../../kernel/listen-on.js';
import { fail, type CheckResult, ok, reasonOf } from './check-result.js';

/** Whether the port is free, or the service listens on it already. */
export async function checkPort({ host, port }: HttpConfig): Promise<CheckResult[]> {
  if (port === 0) return [ok('port', 'any free port')];
  try {
    await checkAddress({ host, port });
    return [ok('port', `${port} is free on ${host}`)];
  } catch (error) {
    if (await isPetstore(host, port)) return [ok('port', `the pet store already listens on ${port}`)];
    const [finding = '', ...advice] = reasonOf(error).split(/(?<=\.) /);
    return [fail('port', finding, advice.join(' ') || null)];
  }
}

/** By its OpenAPI document, which needs no key and has no quota. */
async function isPetstore(host: string, port: number): Promise<boolean> {
  try {
    const { info } = (await json(await request(host, port))) as { info?: { title?: unknown } };
    return info?.title === 'Pet Store';
  } catch {
    return false;
  }
}

/** Not `fetch`: in Node 20 it never settles when the server only hangs up. */
function request(host: string, port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = get({ host: clientHost(host), port, path: '/openapi.json', timeout: seconds(1) }, resolve);
    sent.once('error', reject).once('timeout', () => sent.destroy());
  });
}

/** A wildcard address can be listened on but not called. */
const clientHost = (host: string): string => (host === '0.0.0.0' || host === '::' ? 'localhost' : host);
