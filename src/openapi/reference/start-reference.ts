interface PageElement {
  id: string;
  type: string;
  tabIndex: number;
  textContent: string;
  onclick: () => void;
  append(child: PageElement): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  setAttribute(name: string, value: string): void;
  toggleAttribute(name: string, on: boolean): void;
}
declare const document: {
  createElement(name: string): PageElement;
  getElementById(id: string): PageElement | null;
};
declare function addEventListener(event: 'hashchange', listener: () => void): void;
interface Operation {
  tags?: readonly string[];
  security?: unknown;
  responses: Readonly<Record<string, { readonly $ref?: string }>>;
}
type Items = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
interface Description {
  readonly tags: readonly object[];
  readonly paths: Items;
  readonly webhooks: Items;
}
declare class MutationObserver {
  constructor(changed: () => void);
  observe(element: PageElement | null, what: object): void;
}
declare const location: { readonly hash: string; readonly pathname: string; reload(): void };
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(event: 'change', listener: () => void): void;
};
declare const Redoc: { init(description: object, options: object, element: object | null): void };

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
    for (const heading of root?.querySelectorAll('h5:not([aria-level])') ?? [])
      heading.setAttribute('aria-level', '3');
    for (const event of root?.querySelectorAll('[id^="tag/callbacks/"]:not([data-foldable])') ?? [])
      fold(event);
  }).observe(root, { childList: true, subtree: true });
  /** An event is closed until its button, or a link to it, opens it. */
  const fold = (event: PageElement) => {
    const button = document.createElement('button');
    const show = (isOpen: boolean) => {
      event.toggleAttribute('data-closed', !isOpen);
      button.textContent = isOpen ? 'Hide' : 'Show';
      button.setAttribute('aria-expanded', String(isOpen));
      button.onclick = () => {
        show(!isOpen);
      };
    };
    const follow = () => {
      if (location.hash === `#${event.id}`) show(true);
    };
    button.type = 'button';
    event.toggleAttribute('data-foldable', true);
    event.querySelector('h2')?.append(button);
    show(false);
    follow();
    addEventListener('hashchange', follow);
  };
  /** Events last, and without the key and the errors of every operation, which the guides have. */
  const shown = (description: Description): object => {
    const operations = (items: Items) => Object.values(items).flatMap((item) => Object.values(item));
    for (const operation of operations(description.webhooks)) operation.tags = ['callbacks'];
    for (const operation of operations(description.paths)) {
      delete operation.security;
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([, { $ref }]) => $ref === undefined),
      );
    }
    const callbacks = {
      name: 'callbacks',
      description: 'The events that the service sends to your webhooks',
    };
    return { ...description, security: [], tags: [...description.tags, callbacks] };
  };
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
  const url = location.pathname.replace(/\/reference(\/.*)?$/, '') + '/openapi.json';
  const options = {
    downloadUrls: [{ title: 'Download', url }],
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
      spacing: { unit: 4, sectionVertical: 12 },
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
  };
  void fetch(url)
    .then((response) => response.json() as Promise<Description>)
    .then((description) => {
      Redoc.init(shown(description), options, root);
    });
}
