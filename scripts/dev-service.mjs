// The service as `npm run dev` runs it: on the PostgreSQL of its parent, without which it does not go on.
import '../dist/src/bootstrap/v8-flags.js';
import { run } from '../dist/src/bootstrap/run.js';
import { serve } from '../dist/src/bootstrap/serve.js';
import { start } from '../dist/src/bootstrap/start.js';

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
const again = process.argv.includes('--again');
run(() => serve((onEnd) => start(onEnd, { ownsDatabase: false, again })));
