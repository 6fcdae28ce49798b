declare const document: {
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
};
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(event: 'change', listener: () => void): void;
};

/**
 * A Swagger UI plugin: dark or light, as the reader prefers.
 * It reaches the browser as its source text, so it may use nothing from outside itself.
 */
export function colorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  follow();
  dark.addEventListener('change', follow);
  return {};
}
