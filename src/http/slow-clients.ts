import type { Server } from 'node:http';
import { seconds } from '../clock/duration.js';

/** Bounds what one slow or silent client can hold: time for the headers, and for a whole request. */
export function limitSlowClients(server: Server): void {
  server.headersTimeout = seconds(15);
  server.requestTimeout = seconds(30);
}
