// Starts Redoc in the preferred colour scheme.

const root = document.getElementById('reference');
const folder = location.pathname.replace(/\/reference(\/.*)?$/, '');
const scheme = matchMedia('(prefers-color-scheme: dark)');
scheme.addEventListener('change', () => location.reload()); // Redoc reads its colours only once

/** Sections that are collapsed at first: the events or, if the samples do not fit beside them, all operations. */
const FOLDED = matchMedia('(max-width: 75rem)').matches ? '[id*="/operation/"]' : '[id^="tag/callbacks/"]';

/** Adds what Redoc lacks for keyboards and screen readers, and shortens the page. */
function completeElements() {
  for (const code of root.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
  for (const heading of root.querySelectorAll('h5:not([aria-level])')) heading.ariaLevel = '3';
  for (const item of root.querySelectorAll('[role="menuitem"][aria-label]')) item.ariaLabel = null; // its text is the name
  for (const operation of root.querySelectorAll(`:is(${FOLDED}):not([data-foldable])`)) fold(operation);
}

/** Collapses an operation until its button, or a link to it, opens it. */
function fold(operation) {
  const button = document.createElement('button');
  const show = (isOpen) => {
    operation.toggleAttribute('data-closed', !isOpen);
    button.textContent = isOpen ? 'Hide' : 'Show';
    button.ariaExpanded = String(isOpen);
    button.onclick = () => show(!isOpen);
  };
  const follow = () => {
    if (location.hash === `#${operation.id}`) show(true);
  };
  button.type = 'button';
  operation.toggleAttribute('data-foldable', true);
  operation.querySelector('h2').append(button);
  show(false);
  follow();
  addEventListener('hashchange', follow);
  root.querySelector('.menu-content').addEventListener('click', () => setTimeout(follow));
}

/** Removes the errors that every operation has; a guide describes them. */
function shortened(description) {
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    const responses = Object.entries(operation.responses ?? {}); // a path may have `servers` too
    operation.responses = Object.fromEntries(responses.filter(([, { $ref }]) => $ref === undefined));
  }
  return description;
}

const colors = scheme.matches
  ? { ink: '#e4e9e7', soft: '#b6c2bf', accent: '#5cc3a7', line: '#334041', card: '#1c2324', page: '#14191a' }
  : { ink: '#24302f', soft: '#4c5a58', accent: '#1a5f4e', line: '#ddd7cc', card: '#f7f5f1', page: '#fff' };
const marks = scheme.matches
  ? { good: '#7ddc9a', bad: '#ff9d9d', other: '#a9c7ff', warning: '#fdba74', code: '#f0b8d8' }
  : { good: '#1b6b34', bad: '#a11a1a', other: '#27509b', warning: '#8a2f0e', code: '#8a1f5c' };

const response = (color, tabTextColor) => ({ color, backgroundColor: colors.card, tabTextColor });

const theme = {
  colors: {
    primary: { main: colors.accent },
    success: { main: marks.good },
    error: { main: marks.bad },
    warning: { main: marks.warning, contrastText: colors.page },
    text: { primary: colors.ink, secondary: colors.soft },
    border: { dark: colors.line, light: colors.line },
    responses: {
      success: response(marks.good, '#7ddc9a'), // the tabs are dark in both schemes
      error: response(marks.bad, '#ff9d9d'),
      redirect: response(marks.other, '#a9c7ff'),
      info: response(marks.other, '#a9c7ff'),
    },
  },
  schema: {
    nestedBackground: colors.card,
    typeNameColor: colors.ink,
    typeTitleColor: colors.ink,
    requireLabelColor: marks.bad,
  },
  spacing: { unit: 4, sectionVertical: 12 },
  sidebar: { backgroundColor: colors.card, textColor: colors.ink, activeTextColor: colors.accent },
  rightPanel: { backgroundColor: '#1c2324', textColor: '#e4e9e7' },
  codeBlock: { backgroundColor: '#0f1415' },
  typography: {
    fontFamily: 'system-ui, sans-serif',
    headings: { fontFamily: 'system-ui, sans-serif' },
    code: { fontFamily: 'ui-monospace, monospace', color: marks.code, backgroundColor: colors.card },
    links: { color: colors.accent, visited: colors.accent, hover: colors.accent },
  },
};

new MutationObserver(completeElements).observe(root, { childList: true, subtree: true });
const url = `${folder}/openapi.json`;
const description = await (await fetch(url)).json();
Redoc.init(
  shortened(description),
  {
    downloadUrls: [{ title: 'Download', url }],
    nativeScrollbars: true,
    hideRequestPayloadSample: true, // the code samples contain it
    hideSecuritySection: true,
    pathInMiddlePanel: true,
    jsonSampleExpandLevel: 3,
    sortRequiredPropsFirst: true,
    hideSchemaPattern: true,
    theme,
  },
  root,
);
