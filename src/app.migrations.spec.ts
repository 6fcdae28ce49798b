import { allFilesIn } from '../test/support/repository.js';
import { MIGRATIONS } from './app.migrations.js';

describe('MIGRATIONS', () => {
  it('has every file of migrations/, in the order of their names', () => {
    const times = allFilesIn('migrations').flatMap((file) => /^\d+/.exec(file) ?? []);
    expect(MIGRATIONS.map(({ name }) => /\d+$/.exec(name)?.[0])).toEqual(times.sort());
  });
});
