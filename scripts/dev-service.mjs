// The service of `npm run dev`, on the PostgreSQL of its parent. It stops with its parent.
import '../dist/src/bootstrap/v8-flags.js';
import { run } from '../dist/src/bootstrap/run.js';
import { serve } from '../dist/src/bootstrap/serve.js';
import { start } from '../dist/src/bootstrap/start.js';

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
const again = process.argv.includes('--again');
run(() => serve((onEnd) => start(onEnd, { ownsDatabase: false, again })));
