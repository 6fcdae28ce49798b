interface PageElement {
  tabIndex: number;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  closest(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}
declare class MutationObserver {
  constructor(changed: () => void);
  observe(element: PageElement | null, what: object): void;
}
interface Element {
  readonly type: unknown;
}
interface Immutable {
  get(key: string): string | undefined;
  getIn(path: readonly string[]): unknown;
}
interface Dialog {
  showModal(): void;
  close(): void;
}
interface React {
  readonly Fragment: unknown;
  createElement(type: unknown, props: object | null, ...children: unknown[]): Element;
  useState<T>(initial: T): readonly [T, (value: T) => void];
  useEffect(effect: () => unknown, dependencies?: readonly unknown[]): void;
  useRef<T>(initial: T | null): { readonly current: T | null };
}
interface SpecActions {
  updateJsonSpec(document: object): void;
  updateResolvedSubtree(path: readonly string[], document: object): void;
  clearResponse(path: string, method: string): void;
}
interface System {
  readonly React: React;
  readonly specSelectors: { specJson(): Immutable };
  readonly specActions: SpecActions;
  readonly getComponent: (name: string, isContainer?: boolean) => unknown;
}
interface PopupProps {
  readonly authSelectors: {
    shownDefinitions(): { valueSeq(): { map(f: (one: object) => Element): Element } };
  };
  readonly authActions: { showDefinitions(shown: false): void };
  getComponent(name: string): unknown;
}
interface SummaryProps {
  readonly operationProps: Immutable;
}
interface ResponseProps {
  readonly code: string;
  readonly response: Immutable;
}
type Validate = (pathMethod: readonly [string, string], ...rest: readonly unknown[]) => unknown;
type AllowTryItOutFor = (state: Immutable, path: string, method: string) => boolean;

declare const document: PageElement & {
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
  readonly activeElement: { focus(): void } | null;
  getElementById(id: string): PageElement | null;
};
declare const location: { readonly origin: string; readonly pathname: string };
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(event: 'change', listener: () => void): void;
};
declare const SwaggerUIBundle: ((options: object) => void) & {
  readonly presets: { readonly apis: unknown };
};

/**
 * Starts the Swagger UI in the browser. It reaches the browser as its source text, so it may use nothing from outside
 * itself.
 */
export function startSwaggerUi(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  follow();
  dark.addEventListener('change', follow);

  new MutationObserver(() => {
    // What a keyboard and a screen reader need, and the library leaves out.
    for (const code of document.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
    for (const input of document.querySelectorAll(
      '#servers, textarea, .examples-select-element, [data-param-name] :is(input, select)',
    ))
      input.setAttribute(
        'aria-label',
        input.closest('[data-param-name]')?.dataset.paramName ?? nameOf(input),
      );
    for (const button of document.querySelectorAll('.modal-btn')) button.removeAttribute('aria-label'); // its text names it
  }).observe(document.getElementById('swagger-ui'), { childList: true, subtree: true });
  const nameOf = (input: PageElement) =>
    input.closest('.servers') ? 'Server' : input.closest('.examples-select') ? 'Example' : 'Request body';

  const root = location.pathname.replace(/\/docs(\/.*)?$/, '');

  /** Badges, closed errors, headers of every response once, no panel for `x-hideTryItPanel`, and what axe asks for. */
  function petstorePlugin({ React, specSelectors, specActions, getComponent }: System) {
    const h = React.createElement.bind(React);
    const operation = (props: SummaryProps, name: string) => {
      const { operationProps: of } = props;
      const path = ['paths', of.get('path') ?? '', of.get('method') ?? '', name];
      return specSelectors.specJson().getIn(path) as string | undefined;
    };
    const badge = (kind: unknown, text: unknown) =>
      h('span', { className: `mark mark-${String(kind)}` }, text);
    const markdown = (source?: string) => h(getComponent('Markdown', true), { source });

    function CommonHeaders() {
      const headers = (specSelectors.specJson().getIn(['x-common-headers']) ?? []) as Iterable<Immutable>;
      const rows = [...headers].flatMap((header) => [
        h('dt', null, header.get('name')),
        h('dd', null, markdown(header.get('description'))),
      ]);
      const title = h('summary', null, `Headers of every response (${rows.length / 2})`);
      return rows.length > 0
        ? h('details', { className: 'common-headers wrapper' }, title, h('dl', null, ...rows))
        : null;
    }

    /** A native dialog: its focus stays inside, and Escape closes it. */
    function AuthorizationPopup(props: PopupProps) {
      const dialog = React.useRef<Dialog>(null);
      const close = () => {
        props.authActions.showDefinitions(false);
      };
      React.useEffect(() => {
        const opener = document.activeElement;
        dialog.current?.showModal();
        return () => opener?.focus();
      }, []);
      const auths = props.getComponent('auths');
      const header = h(
        'div',
        { className: 'modal-ux-header' },
        h('h2', { id: 'authorize-title' }, 'Available authorizations'),
        h('button', { type: 'button', className: 'close-modal', 'aria-label': 'Close', onClick: close }, '×'),
      );
      const shown = props.authSelectors.shownDefinitions().valueSeq();
      const content = shown.map((definitions) => h(auths, { ...props, key: 'auths', definitions }));
      return h(
        'dialog',
        { ref: dialog, className: 'modal-ux', 'aria-labelledby': 'authorize-title', onClose: close },
        header,
        h('div', { className: 'modal-ux-content' }, content),
      );
    }

    return {
      components: { authorizationPopup: AuthorizationPopup },
      wrapComponents: {
        operations: (Original: unknown) => (props: object) =>
          h(React.Fragment, null, h(CommonHeaders, null), h(Original, props)),
        OperationSummaryPath: (Original: unknown) => (props: SummaryProps) => {
          const stability = operation(props, 'x-stability');
          const sunset = operation(props, 'x-deprecated-sunset');
          return h(
            'span',
            { className: 'path-and-marks' },
            h(Original, props),
            stability && badge(stability, stability),
            sunset && badge('sunset', `until ${sunset}`),
          );
        },
        response: (Original: unknown) =>
          function Response(props: ResponseProps) {
            const [isOpen, setOpen] = React.useState(false);
            if (!/^[45]/.test(props.code)) return h(Original, props);
            const text = `${props.code} ${props.response.get('description') ?? ''}`.replaceAll('`', '');
            const onClick = () => {
              setOpen(!isOpen);
            };
            const button = h('button', { type: 'button', 'aria-expanded': isOpen, onClick }, text);
            const toggle = h('tr', { className: 'response-toggle' }, h('td', { colSpan: 3 }, button));
            return h(React.Fragment, null, toggle, isOpen && h(Original, props));
          },
        DeepLink: (Original: unknown) => (props: object) => h(Original, { ...props, enabled: false }), // a link in a button
        InfoUrl: () => () => null,
      },
      statePlugins: {
        spec: {
          wrapActions: {
            parseToJson: () => (text: string) => {
              const description = JSON.parse(text) as { readonly servers: readonly object[] };
              // Requests go to the address the page was opened at, whatever name the document has for it.
              const [own, ...others] = description.servers;
              const servers = [{ ...own, url: `${location.origin}${root}/v1` }, ...others];
              specActions.updateJsonSpec({ ...description, servers });
              specActions.updateResolvedSubtree([], { ...description, servers });
            },
            requestResolvedSubtree: () => () => undefined, // the document has no references
            validateParams:
              (original: Validate): Validate =>
              (pathMethod, ...rest) => {
                specActions.clearResponse(...pathMethod); // an old response would stay beside the new complaints
                return original(pathMethod, ...rest);
              },
          },
          wrapSelectors: {
            allowTryItOutFor:
              (original: AllowTryItOutFor): AllowTryItOutFor =>
              (state, path, method) =>
                state.getIn(['json', 'paths', path, method, 'x-hideTryItPanel']) !== true &&
                original(state, path, method),
          },
        },
      },
    };
  }

  SwaggerUIBundle({
    dom_id: '#swagger-ui',
    url: `${root}/docs/document.json`,
    deepLinking: true,
    layout: 'BaseLayout', // without the top bar
    validatorUrl: 'none', // it would send the document to another host
    persistAuthorization: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [petstorePlugin],
  });
}
