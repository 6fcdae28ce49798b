import { filesIn, readText } from '../support/repository.js';

describe('a release', () => {
  it('has a valid date, below the unreleased changes', () => {
    const [first = '', second = ''] = readText('CHANGELOG.md').match(/^## .*$/gm) ?? [];
    expect(first).toBe('## [Unreleased]');
    const [, date = ''] = / - (\S+)$/.exec(second) ?? [];
    expect(new Date(date).toISOString()).toMatch(date);
  });
});

describe('the workflows', () => {
  it.each(filesIn('.github/workflows'))('pin each action by commit: %s', (name) => {
    const actions = readText(`.github/workflows/${name}`).match(/uses: [^.].*/g) ?? [];
    for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
