import { readText } from '../support/repository.js';

const { scripts } = JSON.parse(readText('package.json')) as {
  scripts: { start: string };
};
const dockerfile = readText('Dockerfile');
const lines = dockerfile.replace(/\\\n/g, ' ').split('\n');
const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
const instruction = (name: string) => last.filter((line) => line.startsWith(`${name} `));

describe('the image', () => {
  it('has stages on one base image, and no development packages in the last one', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-bookworm-slim(@sha256:[0-9a-f]{64})?$/m);
    const bases = lines.filter((line) => line.startsWith('FROM '));
    expect(bases.length).toBeGreaterThan(1);
    for (const line of bases.slice(0, -1))
      expect(line).toMatch(/^FROM --platform=\$BUILDPLATFORM \$\{NODE_IMAGE\} AS \w+$/);
    expect(bases.at(-1)).toBe('FROM ${NODE_IMAGE}');
    expect(dockerfile).toMatch(/npm ci --omit=dev --omit=optional --ignore-scripts/);
    expect(last.join('\n')).not.toMatch(/npm (ci|install|run)/);
  });

  it('runs as a user that is not root, by number', () => {
    expect(instruction('USER')).toEqual(['USER 10001:10001']);
  });

  it('passes signals to Node.js: neither a shell nor npm runs the command', () => {
    expect(instruction('CMD')).toEqual(['CMD ["node", "--max-semi-space-size=32", "dist/src/main.js"]']);
    expect(instruction('ENTRYPOINT')).toEqual([]);
  });

  it('starts as `npm start` does, but for the build', () => {
    const [, command] = /^CMD (.+)$/.exec(instruction('CMD')[0] ?? '') ?? [];
    expect((JSON.parse(command ?? '[]') as string[]).join(' ')).toBe(scripts.start);
  });

  it('checks its health without an extra program', () => {
    expect(instruction('HEALTHCHECK')).toEqual([
      expect.stringMatching(/ CMD \["node", "deploy\/image\/healthcheck\.mjs"\]$/),
    ]);
  });

  it.each(['title', 'description', 'licenses', 'version', 'revision'])('has the label %s', (name) => {
    expect(dockerfile).toContain(`org.opencontainers.image.${name}=`);
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
