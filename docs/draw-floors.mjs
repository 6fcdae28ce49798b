// Draws the floors of src/ and the imports between their rooms: npm run docs:floors
import { instance } from '@viz-js/viz';
import { cruise } from 'dependency-cruiser';
import { writeFile } from 'node:fs/promises';
import { FLOORS } from '../.dependency-cruiser.mjs';

const TARGET = new URL('images/floors.svg', import.meta.url);

/** The room of a file: its folder below src/. The document and its decorators are on two floors, so they are two rooms. */
function room(file) {
  const [, folder, inner] = file.split('/');
  if (inner === undefined) return folder.startsWith('app.') ? 'app.*' : folder;
  return folder === 'openapi' && !inner.includes('.') ? `openapi/${inner}` : folder;
}

const { output } = await cruise(['src'], {
  includeOnly: '^src/',
  exclude: '\\.spec\\.ts$',
  tsPreCompilationDeps: true,
});

const rooms = new Map();
const arrows = new Set();
for (const { source, dependencies } of output.modules) {
  rooms.set(
    room(source),
    FLOORS.findIndex(({ path }) => new RegExp(path).test(source)),
  );
  for (const { resolved } of dependencies) arrows.add(`"${room(source)}" -> "${room(resolved)}"`);
}
// Every room uses the kernel: those arrows would say nothing.
const drawn = [...arrows].filter(
  (arrow) => !arrow.endsWith('"kernel"') && new Set(arrow.split(' -> ')).size === 2,
);

const floors = FLOORS.map(({ name }, i) => {
  const here = [...rooms].filter(([, floor]) => floor === i).map(([folder]) => `"${folder}"`);
  return `{ rank=same; "floor ${i}" [label="${name}", shape=plaintext, fillcolor=white, fontcolor="#55615f"]; ${here.join('; ')} }`;
});
const order = FLOORS.slice(1).map((_, i) => `"floor ${i}" -> "floor ${i + 1}" [style=invis];`);

const viz = await instance();
const svg = viz.renderString(
  `digraph floors {
    rankdir=TB; ranksep=0.45; nodesep=0.3; splines=true; bgcolor="white";
    node [shape=box, style="rounded,filled", fillcolor="#eef4f1", color="#2f6f5e", fontname="Helvetica", fontsize=12];
    edge [color="#8aa39b", arrowsize=0.6];
    ${floors.join('\n')}
    ${order.join('\n')}
    ${drawn.sort().join('\n')}
  }`,
  { format: 'svg' },
);
await writeFile(TARGET, svg);
process.stdout.write(`${rooms.size} rooms, ${drawn.length} arrows: docs/images/floors.svg\n`);
