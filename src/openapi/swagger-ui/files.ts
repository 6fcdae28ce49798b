import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StaticContent } from '../../http/static/static-content.js';
import { startSwaggerUi } from './start-swagger-ui.js';
import { THEME } from './theme.js';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Of the library: what the page loads, and the licences that its script refers to. */
const LIBRARY: Readonly<Record<string, string>> = {
  'swagger-ui.css': CSS,
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/** Everything below `/docs/`, by name. */
export function swaggerUiFiles(): Map<string, StaticContent> {
  const { resolve } = createRequire(import.meta.url);
  return new Map([
    ...Object.entries(LIBRARY).map(
      ([name, type]) =>
        [name, new StaticContent(type, readFileSync(resolve(`swagger-ui-dist/${name}`)))] as const,
    ),
    ['index.html', swaggerUiPage('')],
    ['theme.css', new StaticContent(CSS, THEME)],
    ['swagger-ui-init.js', new StaticContent(SCRIPT, `(${String(startSwaggerUi)})();\n`)],
  ]);
}

/** @param folder where the files are, from where the page is: both `/docs` and `/docs/` show it */
export function swaggerUiPage(folder: '' | 'docs/'): StaticContent {
  return new StaticContent(
    HTML,
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pet Store</title>
<link rel="icon" type="image/png" href="${folder}favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="${folder}favicon-16x16.png" sizes="16x16">
<link rel="stylesheet" href="${folder}swagger-ui.css">
<link rel="stylesheet" href="${folder}theme.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${folder}swagger-ui-bundle.js"></script>
<script src="${folder}swagger-ui-init.js"></script>
</body>
</html>
`,
  );
}
