interface PageElement {
  tabIndex: number;
  querySelectorAll(selector: string): Iterable<PageElement>;
}
declare const document: { getElementById(id: string): PageElement | null };
declare class MutationObserver {
  constructor(changed: () => void);
  observe(element: PageElement | null, what: object): void;
}
declare const location: { readonly pathname: string; reload(): void };
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(event: 'change', listener: () => void): void;
};
declare const Redoc: { init(url: string, options: object, element: object | null): void };

/**
 * Starts Redoc in the browser, dark or light as the reader prefers. It reaches the browser as its source text, so it may
 * use nothing from outside itself.
 */
export function startReference(): void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', () => {
    location.reload(); // Redoc reads its colours only once
  });
  const root = document.getElementById('reference');
  new MutationObserver(() => {
    // Code that is wider than its box is to be scrolled with the keyboard too.
    for (const code of root?.querySelectorAll('pre:not([tabindex])') ?? []) code.tabIndex = 0;
  }).observe(root, { childList: true, subtree: true });
  const dark = scheme.matches;
  const ink = dark ? '#e4e9e7' : '#24302f';
  const accent = dark ? '#5cc3a7' : '#1a5f4e';
  const line = dark ? '#334041' : '#ddd7cc';
  const card = dark ? '#1c2324' : '#f7f5f1';
  const good = dark ? '#7ddc9a' : '#1b6b34';
  const bad = dark ? '#ff9d9d' : '#a11a1a';
  const other = dark ? '#a9c7ff' : '#27509b';
  const response = (color: string, onDark: string) => ({
    color,
    backgroundColor: card,
    tabTextColor: onDark,
  });
  Redoc.init(
    location.pathname.replace(/\/reference(\/.*)?$/, '') + '/openapi.json',
    {
      hideDownloadButton: false,
      nativeScrollbars: true,
      pathInMiddlePanel: true,
      jsonSampleExpandLevel: 3,
      sortRequiredPropsFirst: true,
      hideSchemaPattern: true,
      theme: {
        colors: {
          primary: { main: accent },
          success: { main: good },
          error: { main: bad },
          warning: { main: dark ? '#fdba74' : '#8a2f0e', contrastText: dark ? '#14191a' : '#fff' },
          text: { primary: ink, secondary: dark ? '#b6c2bf' : '#4c5a58' },
          border: { dark: line, light: line },
          responses: {
            success: response(good, '#7ddc9a'),
            error: response(bad, '#ff9d9d'),
            redirect: response(other, '#a9c7ff'),
            info: response(other, '#a9c7ff'),
          },
        },
        schema: { nestedBackground: card, typeNameColor: ink, typeTitleColor: ink, requireLabelColor: bad },
        sidebar: { backgroundColor: card, textColor: ink, activeTextColor: accent },
        rightPanel: { backgroundColor: '#1c2324', textColor: '#e4e9e7' },
        codeBlock: { backgroundColor: '#0f1415' },
        typography: {
          fontFamily: 'system-ui, sans-serif',
          headings: { fontFamily: 'system-ui, sans-serif' },
          code: {
            fontFamily: 'ui-monospace, monospace',
            color: dark ? '#f0b8d8' : '#8a1f5c',
            backgroundColor: card,
          },
          links: { color: accent, visited: accent, hover: accent },
        },
      },
    },
    root,
  );
}
