interface SpecState {
  getIn(path: readonly string[]): unknown;
}

type AllowTryItOutFor = (state: SpecState, path: string, method: string) => boolean;

/**
 * A Swagger UI plugin: no "Try it out" on operations marked `x-hideTryItPanel`.
 * It reaches the browser as its source text, so it may use nothing from outside itself.
 */
export function hideTryItPanel() {
  return {
    statePlugins: {
      spec: {
        wrapSelectors: {
          allowTryItOutFor:
            (original: AllowTryItOutFor) => (state: SpecState, path: string, method: string) =>
              state.getIn(['json', 'paths', path, method, 'x-hideTryItPanel']) !== true &&
              original(state, path, method),
        },
      },
    },
  };
}
