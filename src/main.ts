import './bootstrap/v8-flags.js';
import { run } from './bootstrap/run.js';
import { serve } from './bootstrap/serve.js';
import { start } from './bootstrap/start.js';

run(() => serve(start));
