// Middleware of the peers on Express: a request id, and a line of the log for each response.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';

const FLUSH_AFTER = 250; // milliseconds; the buffer is as large as our service's
const destination = pino.destination({ sync: false, minLength: 12_288 });
setInterval(() => destination.flush(), FLUSH_AFTER).unref();
const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);

export function logRequests(request, response, next) {
  const start = performance.now();
  request.id = request.headers['x-request-id'] ?? randomUUID();
  response.setHeader('X-Request-Id', request.id);
  response.once('close', () =>
    log.info({
      requestId: request.id,
      method: request.method,
      route: request.route?.path,
      status: response.statusCode,
      durationMs: Math.round((performance.now() - start) * 1000) / 1000,
      keyId: request.key?.id,
    }),
  );
  next();
}
