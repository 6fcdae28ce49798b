// Draws the result of a benchmark: npm run bench:chart -- RESULT.json docs/images/speed.svg
import { readFile, writeFile } from 'node:fs/promises';
import { summarize } from './report.mjs';

const titles = {
  list: 'GET /v1/pets?limit=20, all alike',
  'list-varied': 'GET /v1/pets, varied',
  list100: 'GET /v1/pets?limit=100, all alike',
  get: 'GET /v1/pets/{petId}, all alike',
  'get-varied': 'GET /v1/pets/{petId}, varied',
  create: 'POST /v1/pets',
  refused: '429, the list beyond the quota',
};
const names = {
  ours: 'this service',
  fastify: 'Fastify',
  'fastify-bare': 'bare Fastify',
  'stock-nest': 'stock Nest',
  floor: 'node:http',
};

const WIDTH = 860;
const LEFT = 110; // where the bars start
const RIGHT = 120; // space for the figures after the longest bar
const BAR = 13;
const STEP = 17;
const TITLE = 30;
const TOP = 64;

/** Draws an SVG with a group per work and a bar per server: the server's CPU, followed by PostgreSQL's. */
export function drawChart({ node, samples }) {
  const groups = [...new Set(samples.map(({ work }) => work))].map((work) => ({
    work,
    lines: summarize(samples, work),
  }));
  const total = ({ micros, databaseMicros = 0 }) => micros + databaseMicros;
  const most = Math.max(...groups.flatMap(({ lines }) => lines.map(total)));
  const scale = (WIDTH - LEFT - RIGHT) / most;
  let y = TOP;
  const parts = [];
  for (const { work, lines } of groups) {
    parts.push(`<text class="title" x="8" y="${y + 16}">${titles[work]}</text>`);
    y += TITLE - 6;
    for (const line of lines) {
      parts.push(...bar(line, y, scale));
      y += STEP;
    }
    y += 8;
  }
  return frame(y + 4, [...legend(node), ...parts]);
}

function bar({ server, micros, databaseMicros = 0 }, y, scale) {
  const own = micros * scale;
  const database = databaseMicros * scale;
  const kind = server === 'ours' ? 'ours' : 'peer';
  const text = y + BAR - 2.5;
  return [
    `<text class="name" x="${LEFT - 8}" y="${text}" text-anchor="end">${names[server]}</text>`,
    `<rect class="${kind}" x="${LEFT}" y="${y}" width="${own.toFixed(1)}" height="${BAR}"/>`,
    `<rect class="${kind} database" x="${(LEFT + own).toFixed(1)}" y="${y}" width="${database.toFixed(1)}" height="${BAR}"/>`,
    `<text class="figure" x="${(LEFT + own + database + 6).toFixed(1)}" y="${text}">${micros.toFixed(0)} + ${databaseMicros.toFixed(0)}</text>`,
  ];
}

const legend = (node) => [
  `<text class="title" x="8" y="22">CPU microseconds per request, ${node}, 32 connections: less is better</text>`,
  '<rect class="ours" x="8" y="37" width="11" height="11"/><rect class="peer" x="21" y="37" width="11" height="11"/>',
  '<text class="name" x="38" y="47">the server process</text>',
  '<rect class="ours database" x="168" y="37" width="11" height="11"/><rect class="peer database" x="181" y="37" width="11" height="11"/>',
  '<text class="name" x="198" y="47">PostgreSQL</text>',
];

/** The colours follow the reader's colour scheme, on the page's background. */
const frame = (
  height,
  parts,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img"
  aria-label="CPU per request of this service and its peers">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 13px }
  .figure { font-variant-numeric: tabular-nums }
  .ours { fill: #0969da }
  .peer { fill: #8c959f }
  .database { opacity: .45 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .ours { fill: #58a6ff }
    .peer { fill: #7d8590 }
  }
</style>
${parts.join('\n')}
</svg>
`;

if (process.argv[1] === import.meta.filename) {
  const [json, svg] = process.argv.slice(2);
  await writeFile(svg, drawChart(JSON.parse(await readFile(json, 'utf8'))));
}
