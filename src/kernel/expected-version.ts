import { hash } from 'node:crypto';
import { DomainError } from './errors/domain-error.js';
import { writeJson } from './json/write-json.js';

/** The resource has changed since the version that the client knows. */
export class PreconditionFailed extends DomainError {
  constructor() {
    super(
      'precondition_failed',
      'precondition_failed',
      'The resource has changed since you read it. Fetch it again and retry.',
    );
  }
}

/** The version of a resource that a client wants to change. */
export class ExpectedVersion {
  /** For a change of any version. */
  static readonly any = new ExpectedVersion(undefined);

  /** @param versions that the client knows; `undefined` for any */
  constructor(private readonly versions: readonly string[] | undefined) {}

  /**
   * @param current the resource as a GET of it responds, or the `ETag` of a route that sets its own
   * @throws PreconditionFailed
   */
  check(current: object | string): void {
    if (!this.versions) return;
    const version = typeof current === 'string' ? current : versionOf(current);
    const isWeak = version.startsWith('W/'); // a weak one matches nothing here
    if (isWeak || !this.versions.includes(version)) throw new PreconditionFailed();
  }
}

const LENGTH = 22; // of base64url: 132 bits

/** The `ETag` that a GET of this resource has: strong, for it stands for the very bytes (RFC 9110, section 8.8.3). */
export const versionOf = (resource: object): string => versionOfText(writeJson(resource));

export const versionOfText = (json: string): string =>
  `"${hash('sha256', json, 'base64url').slice(0, LENGTH)}"`;
