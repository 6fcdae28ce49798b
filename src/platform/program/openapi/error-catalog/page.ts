import { STATUS_CODES } from 'node:http';
import { service } from '../../../kernel/config/service.js';
import { type CatalogEntry, OTHER_CODES } from './error-catalog.js';

/** The catalogue as an HTML page. Its links are relative, because a proxy may serve it under another path. */
export function catalogPage(entries: readonly CatalogEntry[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · ${service().title}</title>
<link rel="icon" type="image/png" href="favicon-32x32.png" sizes="32x32">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Errors</h1>
<p>Every error response has the properties <code>code</code>, <code>message</code> and <code>status</code>. Branch on
<code>code</code>: it keeps its meaning, and the wording of <code>message</code> may change.</p>
<nav aria-label="Documentation"><a href="../docs">Swagger UI</a></nav>
</header>
<main>
<nav aria-label="Codes"><ul>
${entries.map(({ example: { status, code } }) => `<li><a href="#${code}">${status} ${code}</a></li>`).join('\n')}
</ul></nav>
${entries.map(section).join('\n')}
<section id="other-codes"><h2>Other codes</h2><p>${inline(OTHER_CODES)}</p></section>
</main>
</body>
</html>
`;
}

const section = ({ example, meaning, action }: CatalogEntry): string => `<section id="${example.code}">
<h2><a href="#${example.code}">${example.code}</a></h2>
<p class="status">${example.status} ${STATUS_CODES[example.status] ?? ''}</p>
<p>${inline(meaning)}</p>
<p><strong>What to do:</strong> ${inline(action)}</p>
<details>
<summary>Example</summary>
<pre tabindex="0" aria-label="Example of ${example.code}"><code>${escaped(JSON.stringify(example, null, 2))}</code></pre>
</details>
</section>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const inline = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const STYLE = `
:root { color-scheme: light dark; --page: #f7f5f1; --card: #fff; --line: #ddd7cc; --ink: #24302f; --link: #1a5f4e; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14191a; --card: #1c2324; --line: #334041; --ink: #e4e9e7; --link: #5cc3a7; }
}
body { background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; margin: 0 auto; max-width: 52rem; padding: 1.5rem; }
a { color: var(--link); }
h2 { font: 600 1.15rem/1.4 ui-monospace, monospace; margin: 0; overflow-wrap: anywhere; }
h2 a { text-decoration: none; }
header nav a { margin-right: 1rem; }
main nav ul { columns: 17rem; list-style: none; padding: 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 1rem 0; padding: 1rem 1.25rem; }
section:target { border-color: var(--link); }
section p { margin: 0.4rem 0; }
summary { cursor: pointer; }
.status { font-weight: 600; }
pre { background: var(--page); border-radius: 6px; overflow-wrap: anywhere; padding: 0.75rem; white-space: pre-wrap; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.9em; }
`;
