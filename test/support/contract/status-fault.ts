import type { ReceivedResponse } from './response-validator.js';
import type { Request } from './requests.js';

/** Says which rule of the document, or which error in a request, the service does not see as the document does. */
export function statusFaults(request: Request, { status, body }: ReceivedResponse): string[] {
  if (request.expected.includes(status)) return [];
  const operation = `${request.method.toUpperCase()} ${request.path}`;
  const promised = request.expected.join(' or ');
  const sent =
    request.what === 'valid'
      ? 'a request that the document allows'
      : `a request that the document does not allow (${request.what})`;
  return [
    `${operation}: ${sent} should get ${promised}, and got ${status}: ${JSON.stringify(body).slice(0, 500)}`,
  ];
}
