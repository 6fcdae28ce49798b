import { connect } from 'node:net';

/**
 * Sends bytes over a connection of their own, and reads answers until there is one for each method, or the service
 * ends the connection.
 * @param bytes what is sent
 * @param methods of the requests in it: as many answers are waited for, and one to a HEAD has no body
 * @param isCut whether nothing more will be sent, and the service is told so
 * @param deadline milliseconds, after which the connection is given up: `isSilent`
 */
export function exchange(port, { bytes, methods, isCut }, deadline) {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const begun = performance.now();
    const finish = (isSilent) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers: readAnswers(received, methods), took: performance.now() - begun, isSilent });
    };
    const socket = connect(port, '127.0.0.1', () => (isCut ? socket.end(bytes) : socket.write(bytes)));
    const timer = setTimeout(() => finish(true), deadline);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (readAnswers(received, methods).length >= methods.length) finish(false);
    });
    socket.on('end', () => finish(false));
    socket.on('error', () => finish(false)); // reset: the service has closed while we were still sending
  });
}

function readAnswers(received, methods) {
  const answers = [];
  for (let rest = received; answers.length < methods.length;) {
    const read = readAnswer(rest, methods[answers.length]);
    if (!read) break;
    rest = read.rest;
    if (read.status !== 100) answers.push(read); // 100 Continue comes before the answer
  }
  return answers.map(({ status, headers, body }) => ({ status, headers, body }));
}

function readAnswer(bytes, method) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine, ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  const status = Number(statusLine.split(' ')[1]);
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304 && status !== 100;
  const length = hasBody ? Number(headers['content-length']?.[0] ?? 0) : 0;
  const start = end + 4;
  if (bytes.length < start + length) return undefined;
  return {
    status,
    headers,
    body: bytes.toString('utf8', start, start + length),
    rest: bytes.subarray(start + length),
  };
}
