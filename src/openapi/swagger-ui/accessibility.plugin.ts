interface System {
  readonly React: {
    createElement(type: unknown, props: object | null): object;
    useEffect(effect: () => void): void;
  };
}
declare const document: {
  getElementById(id: string): { setAttribute(name: string, value: string): void } | null;
};

/**
 * A Swagger UI plugin: names the list of servers for screen readers, and takes links out of buttons.
 * It reaches the browser as its source text, so it may use nothing from outside itself.
 */
export function accessibility({ React }: System) {
  return {
    wrapComponents: {
      Servers: (Original: unknown) =>
        function Servers(props: object) {
          React.useEffect(() => document.getElementById('servers')?.setAttribute('aria-label', 'Server'));
          return React.createElement(Original, props);
        },
      DeepLink: (Original: unknown) => (props: object) =>
        React.createElement(Original, { ...props, enabled: false }),
    },
  };
}
