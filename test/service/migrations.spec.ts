import { allFilesIn } from '../support/repository.js';
import { MIGRATIONS } from '../support/migrations.js';

const timesIn = (folder: string) => allFilesIn(folder).flatMap((file) => /^\d+/.exec(file) ?? []);

describe('the migrations', () => {
  it('are those of the platform and of the service, in the order of their times', () => {
    const times = [...timesIn('src/platform/program/migrations'), ...timesIn('migrations')];
    expect(MIGRATIONS.map(({ name }) => /\d+$/.exec(name)?.[0])).toEqual(times.sort());
  });
});
