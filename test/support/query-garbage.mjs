import { getHeapSpaceStatistics } from 'node:v8';
import { DataSource } from 'typeorm';
import '../../dist/src/service.js';
import { poolOptions } from '../../dist/src/platform/data/database/database.module.js';

/**
 * node --expose-gc query-garbage.mjs <URL of a database>: prints the kilobytes that each of some queries leaves in the old generation
 * of the heap. It is a separate process, because V8 keeps what it has learnt from the code of other suites.
 */

const [url] = process.argv.slice(2);
const QUERIES = 50;

const service = await new DataSource(poolOptions(url)).initialize();
const kilobytes = [await left(), await left(), await left()]; // other code may allocate there once
await service.destroy();
console.log(Math.min(...kilobytes));

async function left() {
  const before = oldGeneration();
  for (let i = 0; i < QUERIES; i++) {
    await service.query('SELECT n FROM generate_series(1, 1000) AS n');
    gc({ type: 'minor' });
  }
  return (oldGeneration() - before) / 1024 / QUERIES;
}

function oldGeneration() {
  for (let i = 0; i < 2; i++) gc({ type: 'minor' }); // what survives two collections moves there
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size;
}
