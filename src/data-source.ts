import { join } from 'node:path';
import { openDataSource } from './platform/program/tools.js';
import { SERVICE } from './service.js';

/** For the command line of TypeORM, as `npm run migration` uses it. */
export default await openDataSource(SERVICE, [join(import.meta.dirname, '**/*.entity.js')]);
