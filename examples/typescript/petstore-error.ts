import { readJson } from './json.js';
import type { components } from './petstore.js';

type ErrorBody = components['schemas']['Error'];

/** A refusal. Decide by `code`, show `message`, and quote the request id when you ask for help. */
export class PetstoreError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
  ) {
    super(message);
  }

  static async from(response: Response): Promise<PetstoreError> {
    const { code, message } = bodyOf(await response.text()) ?? {
      code: 'unknown',
      message: response.statusText,
    };
    return new PetstoreError(response.status, code, message, response.headers.get('X-Request-Id'));
  }
}

/** Whatever stands between the client and the service may answer with anything. */
function bodyOf(text: string): ErrorBody | undefined {
  try {
    return readJson(text) as ErrorBody;
  } catch {
    return undefined;
  }
}
