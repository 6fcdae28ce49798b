import { runCommandLine } from './platform/program/index.js';
import { SERVICE } from './service.js';

runCommandLine(SERVICE);
