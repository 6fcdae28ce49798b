/* This function runs in the browser: the page contains its source, so it must not use anything outside of itself. */

interface System {
  readonly React: {
    createElement(component: unknown, properties: object | null, ...children: unknown[]): unknown;
  };
  readonly getComponent: (name: string, isContainer: boolean) => unknown;
  readonly specActions: {
    updateJsonSpec(document: object): void;
    updateResolvedSubtree(path: readonly string[], document: object): void;
  };
}

interface State {
  getIn(path: readonly string[]): unknown;
}

interface ResponseBody {
  /** Not a text if it is a file. */
  readonly content: unknown;
  readonly contentType?: string;
}

type Allowed = (state: State, ...operation: [path: string, method: string]) => boolean;

interface Element {
  tabIndex: number;
  ariaLabel: string | null;
  textContent: string | null;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  closest(selector: string): Element | null;
}

declare const document: {
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
  querySelectorAll(selector: string): Iterable<Element>;
};
declare const MutationObserver: new (changed: () => void) => {
  observe(target: object, options: object): void;
};
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
};

/**
 * Follows the colour scheme of the system, names elements for screen readers, skips the search for
 * references, hides the test panel of an operation, and shows every digit of a number in a response.
 */
export function servicePlugin({ React, specActions, getComponent }: System): object {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const followScheme = () => {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  followScheme();
  dark.addEventListener('change', followScheme);

  const EVENTS = 'Events sent to you';
  const inputs = '#servers, textarea, .examples-select-element, [data-param-name] :is(input, select)';
  new MutationObserver(() => {
    for (const code of document.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0; // scrolled by keys
    for (const input of document.querySelectorAll(inputs))
      input.ariaLabel =
        input.closest('[data-param-name]')?.dataset.paramName ??
        (input.closest('.servers') ? 'Server' : 'Request body');
    for (const button of document.querySelectorAll('.modal-btn')) button.ariaLabel = null; // its text is its name
    for (const button of document.querySelectorAll('.close-modal')) button.ariaLabel = 'Close';
    for (const heading of document.querySelectorAll('.webhooks > h2'))
      if (heading.textContent !== EVENTS) heading.textContent = EVENTS; // "webhooks" are the calls that manage them
  }).observe(document.documentElement, { childList: true, subtree: true });

  /** Indents JSON as it came. `JSON.parse` would round integers beyond 2^53. */
  function indented(json: string): string {
    let depth = 0;
    const line = () => `\n${'  '.repeat(depth)}`;
    return json.replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (token) => {
      if (token.trim() === '') return '';
      if (token === ':') return ': ';
      if (token === ',') return token + line();
      if (token === '{' || token === '[') {
        depth += 1;
        return token + line();
      }
      if (token === '}' || token === ']') {
        depth -= 1;
        return line() + token;
      }
      return token;
    });
  }

  function isJson({ content, contentType = '' }: ResponseBody): boolean {
    if (typeof content !== 'string' || !/json/i.test(contentType)) return false;
    try {
      JSON.parse(content);
      return true;
    } catch {
      return false;
    }
  }

  return {
    wrapComponents: {
      responseBody: (Original: unknown) => (properties: ResponseBody) => {
        if (!isJson(properties)) return React.createElement(Original, properties);
        const code = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true };
        return React.createElement(
          'div',
          null,
          React.createElement('h5', null, 'Response body'),
          React.createElement(
            getComponent('HighlightCode', true),
            code,
            indented(String(properties.content)),
          ),
        );
      },
      DeepLink: (Original: unknown) => (properties: object) =>
        React.createElement(Original, { ...properties, enabled: false }), // a link in a button
    },
    statePlugins: {
      spec: {
        wrapActions: {
          // The document has no references. Otherwise each operation takes a second to open, to resolve all
          // of them.
          parseToJson: () => (text: string) => {
            const description = JSON.parse(text) as object;
            specActions.updateJsonSpec(description);
            specActions.updateResolvedSubtree([], description);
          },
          requestResolvedSubtree: () => () => undefined,
        },
        wrapSelectors: {
          allowTryItOutFor:
            (original: Allowed): Allowed =>
            (state, path, method) =>
              state.getIn(['json', 'paths', path, method, 'x-hideTryItPanel']) !== true &&
              original(state, path, method),
        },
      },
    },
  };
}
