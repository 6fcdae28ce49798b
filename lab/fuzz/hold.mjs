/** The longest that any response may take, in milliseconds. */
export const SLOW = 1000;

const HEADERS = {
  'x-ratelimit-limit': /^\d+$/,
  'x-ratelimit-remaining': /^\d+$/,
  'x-ratelimit-reset': /^\d{10}$/,
  'ratelimit-policy': /^"minute";q=/,
  ratelimit: /^"minute";r=/,
};
/** Traces of internals: stack lines, SQL, files and packages. */
const INSIDES = /\n\s+at |\bSELECT \*|\bINSERT INTO\b|relation "|node_modules|[\\/](src|dist)[\\/]/;

/** Describes what is wrong with an exchange. */
export function faults({ responses, took, isSilent }, { methods, targets, isCut, isHttp, leaving }) {
  if (leaving) return responses.flatMap((response, i) => responseFaults(response, methods[i], targets[i]));
  if (isSilent) return [`no complete response within ${SLOW} ms`];
  if (took > SLOW) return [`it took ${Math.round(took)} ms`];
  if (isHttp && !isCut && responses.length < methods.length && !isLast(responses.at(-1))) {
    return ['the connection was closed without a response'];
  }
  return responses.flatMap((response, i) => responseFaults(response, methods[i], targets[i]));
}

/** Whether no further response will follow. */
const isLast = (response) => response?.headers.connection?.join().toLowerCase() === 'close';

function responseFaults({ status, headers, body }, method, target) {
  const wrong = [];
  if (!(status >= 200 && status < 500)) wrong.push(`status ${status}`);
  if (INSIDES.test(body) && status >= 400) wrong.push(`it reveals internals: ${body.slice(0, 200)}`);
  if (headers['x-request-id'] === undefined) return [...wrong, ...refusedUnread(status, headers, body)];
  if (headers['x-request-id'].length > 1) wrong.push('two X-Request-Id');
  if (isInside(target)) {
    for (const [name, form] of Object.entries(HEADERS)) {
      if (headers[name]?.length !== 1 || !form.test(headers[name][0]))
        wrong.push(`${name}: ${headers[name]}`);
    }
  }
  if (status >= 400 && method !== 'HEAD') wrong.push(...errorFaults(status, headers, body));
  return wrong;
}

/** Bytes that are not HTTP never become a request. The response is an Error, and the connection is closed. */
function refusedUnread(status, headers, body) {
  if (![400, 408, 413, 414, 431].includes(status)) return [`status ${status} without X-Request-Id`];
  return errorFaults(status, headers, body);
}

/** Only paths under `/v1` have quotas. */
const isInside = (target) => /^\/v1(?=[/?]|$)/.test(target);

function errorFaults(status, headers, body) {
  if (headers['content-type']?.join() !== 'application/json')
    return [`Content-Type ${headers['content-type']}`];
  try {
    const { code, message, status: told, details, ...more } = JSON.parse(body);
    const isError =
      typeof code === 'string' && typeof message === 'string' && message !== '' && told === status;
    const listed = details === undefined || (Array.isArray(details) && details.length > 0);
    return isError && listed && Object.keys(more).length === 0 ? [] : [`no Error: ${body.slice(0, 200)}`];
  } catch {
    return [`no JSON: ${body.slice(0, 200)}`];
  }
}
