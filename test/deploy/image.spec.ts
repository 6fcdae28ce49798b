import { readText } from '../support/repository.js';

const { scripts } = JSON.parse(readText('package.json')) as {
  scripts: { start: string };
};
const dockerfile = readText('Dockerfile');
const lines = dockerfile.replace(/\\\n/g, ' ').split('\n');
const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
const instruction = (name: string) => last.filter((line) => line.startsWith(`${name} `));

describe('the image', () => {
  it('runs as a user that is not root, by number', () => {
    expect(instruction('USER')).toEqual(['USER 10001:10001']);
  });

  it('starts as `npm start` does, without a shell or npm, which would not pass signals on', () => {
    const [, command] = /^CMD (.+)$/.exec(instruction('CMD')[0] ?? '') ?? [];
    expect((JSON.parse(command ?? '[]') as string[]).join(' ')).toBe(scripts.start);
  });

  it('copies exactly what .dockerignore allows', () => {
    const ignore = readText('.dockerignore').split('\n');
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(/ +/).slice(1, -1));
    const passed = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(ignore).toContain('*');
    for (const path of copied) expect(passed.some((entry) => path.startsWith(entry))).toBe(true);
    for (const entry of passed) expect(copied.some((path) => path.startsWith(entry))).toBe(true);
  });
});
