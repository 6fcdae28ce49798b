import { connect } from 'node:net';

/**
 * Sends bytes over a separate connection and reads responses until there is one for each method, or until the service
 * closes the connection.
 * @param bytes what to send
 * @param methods the methods of the requests: one response is expected for each, and a HEAD response has no body
 * @param isCut whether to half-close the connection after sending
 * @param deadline milliseconds after which to give up: `isSilent`
 */
export function exchange(port, { bytes, methods, isCut }, deadline) {
  return new Promise((resolve) => {
    const reader = new Reader(methods);
    const begun = performance.now();
    const finish = (isSilent) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ responses: reader.responses, took: performance.now() - begun, isSilent });
    };
    const socket = connect(port, '127.0.0.1', () => (isCut ? socket.end(bytes) : socket.write(bytes)));
    const timer = setTimeout(() => finish(true), deadline);
    socket.on('data', (chunk) => {
      reader.push(chunk);
      if (reader.isComplete) finish(false);
    });
    socket.on('end', () => finish(false));
    socket.on('error', () => finish(false)); // reset: the service closed the connection while bytes were still being sent
  });
}

/**
 * Sends bytes, reads only the given number of response bytes, and disconnects cleanly or with a reset. What was read
 * must still be correct.
 * @param leaving how many bytes to read, and whether to reset the connection
 */
export function leaveEarly(port, { bytes, methods, leaving: { after, isReset } }, deadline) {
  return new Promise((resolve) => {
    const reader = new Reader(methods);
    const begun = performance.now();
    const finish = () => {
      clearTimeout(timer);
      if (isReset) socket.resetAndDestroy();
      else socket.destroy();
      resolve({ responses: reader.responses, took: performance.now() - begun, isSilent: false });
    };
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => after === 0 && finish()));
    const timer = setTimeout(finish, deadline); // there were fewer bytes to read
    socket.on('data', (chunk) => {
      reader.push(chunk);
      if (reader.size >= after) finish();
    });
    socket.on('end', finish);
    socket.on('error', finish);
  });
}

/** Parses responses as they arrive. The parts of a long one are joined only once. */
class Reader {
  responses = [];
  size = 0;
  #chunks = [];
  #pending = 0;
  #needed = 0;

  constructor(methods) {
    this.methods = methods;
  }

  push(chunk) {
    this.#chunks.push(chunk);
    this.#pending += chunk.length;
    this.size += chunk.length;
    if (this.#pending < this.#needed) return;
    let rest = Buffer.concat(this.#chunks);
    while (this.responses.length < this.methods.length) {
      const { needed, response } = readResponse(rest, this.methods[this.responses.length]);
      this.#needed = needed;
      if (!response) break;
      rest = rest.subarray(needed);
      if (response.status !== 100) this.responses.push(response); // 100 Continue precedes the response
    }
    this.#chunks = [rest];
    this.#pending = rest.length;
  }

  get isComplete() {
    return this.responses.length >= this.methods.length;
  }
}

/** @returns the first response, if it is complete, and its length in bytes */
function readResponse(bytes, method) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return { needed: 0 };
  const [statusLine, ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  const status = Number(statusLine.split(' ')[1]);
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304 && status !== 100;
  const start = end + 4;
  const needed = start + (hasBody ? Number(headers['content-length']?.[0] ?? 0) : 0);
  if (bytes.length < needed) return { needed };
  const body = status >= 400 ? bytes.toString('utf8', start, needed) : '';
  return { needed, response: { status, headers, body } };
}
