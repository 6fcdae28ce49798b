// Exit code 0 when the service of this container returns 200 at /health/live, or at the path that is the argument.
import { get } from 'node:http';

const [path = '/health/live'] = process.argv.slice(2);
const { PORT = '3000' } = process.env;

get({ port: PORT, path, timeout: 2_000 }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
