import { isDay } from '../validation/property.decorators.js';
import { DomainError } from '../../kernel/errors/domain-error.js';

export interface Deprecation {
  /** First day of the deprecation, not after the sunset, `YYYY-MM-DD`, from 00:00 UTC. */
  readonly since: string;
  /** Day of the removal, `YYYY-MM-DD`: responses are 410 from 00:00 UTC on. */
  readonly sunset: string;
  /** Path of the replacement, in ASCII. */
  readonly successor: string;
  /** Description of the replacement, in printable ASCII without quotation marks and backslashes. */
  readonly use: string;
  /** Path of the page with more information. Default: `/docs`. */
  readonly documentation?: string;
}

export const DEPRECATION = 'deprecation';

/** The deprecation of a handler, if any. */
export const deprecationOf = (handler: object): Deprecation | undefined =>
  Reflect.getMetadata(DEPRECATION, handler) as Deprecation | undefined;

/**
 * @throws TypeError unless the headers can say it: RFC 9745 has no sunset before the deprecation, and RFC 8288
 * takes a path and a title as they are
 */
export function assertDeprecation({ since, sunset, successor, use, documentation = '' }: Deprecation): void {
  if (!isDay(since) || !isDay(sunset) || sunset < since)
    throw new TypeError(
      `@Deprecated() needs days such as 2026-11-27, the sunset last, not ${JSON.stringify({ since, sunset })}.`,
    );
  if (!/^[ !#-[\]-~]+$/.test(use))
    throw new TypeError(
      `@Deprecated() needs a "use" in printable ASCII without quotation marks and backslashes, not ${JSON.stringify(use)}.`,
    );
  for (const path of [successor, documentation])
    if (!/^[!#-;=?-[\]-~]*$/.test(path))
      throw new TypeError(
        `@Deprecated() needs paths as a URL has them, with percent-encoding, not ${JSON.stringify(path)}.`,
      );
}

/**
 * The headers that announce a deprecation: RFC 9745, RFC 8594 and RFC 8288.
 * @param base address of the service, without `/v1`
 */
export function deprecationHeaders(
  { since, sunset, successor, use, documentation = '/docs' }: Deprecation,
  base: string,
): Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>> {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${base}${successor}>; rel="successor-version"; title="${use}", <${base}${documentation}>; rel="deprecation"; type="text/html"`,
  };
}

export class EndpointRemoved extends DomainError {
  static override readonly help = {
    meaning: 'The operation was deprecated, and its `Sunset` date has passed.',
    action: 'Use the successor in the `Link` header.',
  };

  constructor({ sunset, use }: Pick<Deprecation, 'sunset' | 'use'>) {
    super('gone', 'endpoint_removed', `This endpoint was removed on ${sunset}. Use ${use}.`);
  }
}
