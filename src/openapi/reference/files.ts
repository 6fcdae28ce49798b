import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StaticContent } from '../../http/static/static-content.js';
import { startReference } from './start-reference.js';

const SCRIPT = 'text/javascript; charset=utf-8';

/** Everything below `/reference/`, by name. The build copies those of Redoc to dist/. */
export function referenceFiles(): ReadonlyMap<string, StaticContent> {
  const { resolve } = createRequire(import.meta.url);
  const copied = (name: string) => readFileSync(resolve(`#dist/redoc/${name}`));
  return new Map([
    ['redoc.standalone.js', new StaticContent(SCRIPT, copied('redoc.standalone.js'))],
    [
      'redoc.standalone.js.LICENSE.txt',
      new StaticContent('text/plain; charset=utf-8', copied('redoc.standalone.js.LICENSE.txt')),
    ],
    ['index.html', referencePage('')],
    ['reference.css', new StaticContent('text/css; charset=utf-8', REFERENCE_STYLE)],
    ['reference-init.js', new StaticContent(SCRIPT, `(${String(startReference)})();\n`)],
  ]);
}

/** @param folder where the files are, from where the page is: both `/reference` and `/reference/` show it */
export function referencePage(folder: '' | 'reference/'): StaticContent {
  const root = folder === '' ? '../' : '';
  return new StaticContent(
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pet Store reference</title>
<link rel="icon" type="image/png" href="${root}docs/favicon-32x32.png" sizes="32x32">
<link rel="stylesheet" href="${folder}reference.css">
</head>
<body>
<noscript>This page needs JavaScript. The same is in the <a href="${root}openapi.yaml">OpenAPI document</a>.</noscript>
<main id="reference"></main>
<script src="${folder}redoc.standalone.js"></script>
<script src="${folder}reference-init.js"></script>
</body>
</html>
`,
  );
}

/** Styles that Redoc does not set. */
const REFERENCE_STYLE = `
:root { color-scheme: light dark; }
body { background: #fff; color: #24302f; font-family: system-ui, sans-serif; margin: 0; }
#reference h5 { color: inherit; }
#reference .api-content ~ div { display: none; } /* the dark column behind the guides; the panels of operations are dark themselves */
#reference [data-closed] > div > div:nth-child(2), #reference [data-closed] > div > div > :not(h2) { display: none; }
#reference [data-foldable] h2 button { font: inherit; font-size: 14px; margin-left: 1em; }
#reference .api-content button { padding-bottom: 4px; padding-top: 4px; }
#reference .api-content td { padding-bottom: 4px; padding-top: 4px; }
#reference [id^="tag/"]:not([id*="/operation/"]) > div, #reference [id^="tag/"]:not([id*="/operation/"]) > div > div { width: 100%; }
#reference [id*="/operation/"] :is(h2, h3, h5) { margin-bottom: 6px; margin-top: 6px; }
#reference [id*="/operation/"] h3 { padding: 0; }
table td, table th { border-color: #ddd7cc !important; }
@media (prefers-color-scheme: dark) {
  body { background: #14191a; color: #e4e9e7; }
  #reference table tr, #reference table tr:nth-child(2n) { background: #14191a; }
  #reference table td, #reference table th { border-color: #334041 !important; color: #e4e9e7; }
  #reference h5 span { color: inherit; }
  #reference .react-tabs__tab--selected { background: #334041; color: #fff; }
  #reference [role='search'] input { color: #e4e9e7; }
}
`.trim();
