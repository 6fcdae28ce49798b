import { APPLICATION } from './application.js';
import { run } from './platform/bootstrap/run.js';
import { serve } from './platform/bootstrap/serve.js';
import { start } from './platform/bootstrap/start.js';

run(() => serve((onEnd) => start(APPLICATION, onEnd)));
