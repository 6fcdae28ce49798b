import type { IncomingMessage, RequestListener } from 'node:http';

/**
 * For requests with `Expect: 100-continue`, whose client waits before it sends the body: sends 100 when something reads the body.
 * A response that the head decides, such as 401 or 413, is sent at once, and the connection closes: only the client knows whether
 * the body follows (RFC 9110, section 10.1.1).
 */
export const continueOnRead =
  (application: RequestListener): RequestListener =>
  (request, response) => {
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    onFirstRead(request, () => {
      if (response.headersSent) return; // Node.js reads what is left of a request after its response
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    });
    application(request, response);
  };

/** Everything that reads a stream calls `read()`: `pipe()`, the listeners of `data` and `readable`, and iterators. */
function onFirstRead(request: IncomingMessage, callback: () => void): void {
  const read = request.read.bind(request);
  request.read = (size?: number): unknown => {
    request.read = read;
    callback();
    return read(size);
  };
}
