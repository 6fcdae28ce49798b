interface Immutable {
  get(key: string): string;
  getIn(path: readonly string[]): string | undefined;
  set(key: string, value: string): Immutable;
  setIn(path: readonly string[], value: string): Immutable;
}
interface System {
  readonly React: { createElement(type: unknown, props: object | null, ...children: unknown[]): object };
  readonly specSelectors: { specJson(): Immutable };
}
interface Props {
  readonly operationProps: Immutable;
}

/**
 * A Swagger UI plugin: the stability and the sunset of an operation as badges beside its path, and no longer as
 * words in its summary. It reaches the browser as its source text, so it may use nothing from outside itself.
 */
export function marks({ React, specSelectors }: System) {
  const markOf = (operation: Immutable, extension: string) =>
    specSelectors.specJson().getIn(['paths', operation.get('path'), operation.get('method'), extension]);
  const badge = (kind: string, text: string) =>
    React.createElement('span', { className: `mark mark-${kind}` }, text);
  return {
    wrapComponents: {
      OperationSummary: (Original: unknown) => (props: Props) => {
        const summary = markOf(props.operationProps, 'summary')?.replace(
          / \((experimental|beta|until .*)\)$/,
          '',
        );
        const operationProps = props.operationProps
          .set('summary', summary ?? '')
          .setIn(['op', 'summary'], summary ?? '');
        return React.createElement(Original, { ...props, operationProps });
      },
      OperationSummaryPath: (Original: unknown) => (props: Props) => {
        const stability = markOf(props.operationProps, 'x-stability');
        const sunset = markOf(props.operationProps, 'x-deprecated-sunset');
        return React.createElement(
          'span',
          { className: 'path-and-marks' },
          React.createElement(Original, props),
          stability && badge(stability, stability),
          sunset && badge('sunset', `until ${sunset}`),
        );
      },
    },
  };
}
