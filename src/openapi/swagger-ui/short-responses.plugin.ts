type Element = object;
interface System {
  readonly React: {
    readonly Fragment: unknown;
    createElement(type: unknown, props: object | null, ...children: unknown[]): Element;
    useState<T>(initial: T): readonly [T, (value: T) => void];
  };
  readonly specSelectors: { specJson(): { toJS(): Document } };
}
interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly responses?: Responses }>>>>;
  readonly components?: { readonly responses?: Responses; readonly headers?: Headers };
}
type Responses = Readonly<Record<string, { readonly $ref?: string; readonly headers?: Headers }>>;
type Headers = Readonly<Record<string, { readonly description?: string }>>;

interface ResponseProps {
  readonly code: string;
  readonly response: { get(key: string): string | undefined };
}
interface TagProps {
  readonly tagObj: { get(key: 'operations'): { readonly size: number } | undefined };
}
interface HeadersProps {
  readonly headers?: { filter(keep: (header: unknown, name: string) => boolean): { readonly size: number } };
}

/**
 * A Swagger UI plugin: headers that every response has are listed once, errors are closed until they are asked for, and
 * guides are left to the reference.
 * It reaches the browser as its source text, so it may use nothing from outside itself.
 */
export function shortResponses({ React, specSelectors }: System) {
  const h = React.createElement.bind(React);
  let found: readonly string[] | undefined;

  const commonHeaders = (): readonly string[] => {
    const { paths = {}, components } = specSelectors.specJson().toJS();
    const all = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ responses = {} }) => Object.values(responses))
      .map((one) => (one.$ref ? components?.responses?.[one.$ref.split('/').pop() ?? ''] : one))
      .map((one) => Object.keys(one?.headers ?? {}));
    if (all.length === 0) return [];
    return (found ??= all.reduce((common, names) => common.filter((name) => names.includes(name))));
  };

  function CommonHeaders() {
    const names = commonHeaders();
    if (names.length === 0) return null;
    const described = specSelectors.specJson().toJS().components?.headers;
    return h(
      'details',
      { className: 'common-headers wrapper' },
      h('summary', null, `Headers of every response (${names.length})`),
      h(
        'dl',
        null,
        ...names.flatMap((name) => [h('dt', null, name), h('dd', null, described?.[name]?.description)]),
      ),
    );
  }

  return {
    wrapComponents: {
      OAS31Contact: () => () => null,
      operations: (Original: unknown) => (props: object) =>
        h(React.Fragment, null, h(CommonHeaders, null), h(Original, props)),
      OperationTag: (Original: unknown) => (props: TagProps) =>
        props.tagObj.get('operations')?.size ? h(Original, props) : null, // the guides are in the reference
      headers: (Original: unknown) => (props: HeadersProps) => {
        const common = commonHeaders();
        const headers = props.headers?.filter((_, name) => !common.includes(name));
        return headers?.size ? h(Original, { ...props, headers }) : null;
      },
      response: (Original: unknown) =>
        function Response(props: ResponseProps) {
          const isError = /^[45]/.test(props.code);
          const [isOpen, setOpen] = React.useState(false);
          if (!isError) return h(Original, props);
          const text = `${props.code} ${props.response.get('description') ?? ''}`.replaceAll('`', '');
          const button = {
            type: 'button',
            'aria-expanded': isOpen,
            onClick: () => {
              setOpen(!isOpen);
            },
          };
          return h(
            React.Fragment,
            null,
            h('tr', { className: 'response-toggle' }, h('td', { colSpan: 3 }, h('button', button, text))),
            isOpen && h(Original, props),
          );
        },
    },
  };
}
