import { SERVICE } from '../../config/service.js';
import { seconds } from '../../clock/duration.js';
import type { HttpConfig } from '../../http/http.config.js';
import { checkAddress, clientHost } from '../../http/listen-on.js';
import { fail, type CheckResult, ok, reasonOf } from './check-result.js';

/** Checks that the port is free or that the service already listens on it. */
export async function checkPort({ host, port }: HttpConfig): Promise<CheckResult[]> {
  if (port === 0) return [ok('port', 'any free port')];
  try {
    await checkAddress({ host, port });
    return [ok('port', `${port} is free on ${host}`)];
  } catch (error) {
    if (await isPetstore(host, port)) return [ok('port', `the ${SERVICE.noun} already listens on ${port}`)];
    const [finding = '', ...advice] = reasonOf(error).split(/(?<=\.) /);
    return [fail('port', finding, advice.join(' ') || null)];
  }
}

/** Reads the OpenAPI document, which needs no key and has no quota. */
async function isPetstore(host: string, port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://${clientHost(host)}:${port}/openapi.json`, {
      signal: AbortSignal.timeout(seconds(1)),
    });
    const { info } = (await response.json()) as { info?: { title?: unknown } };
    return info?.title === SERVICE.title;
  } catch {
    return false;
  }
}
