interface Element {
  name: string;
  content: string;
}
declare const document: {
  readonly head: { append(element: Element): void };
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
  createElement(tag: 'meta'): Element;
};
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(event: 'change', listener: () => void): void;
};

/**
 * A Swagger UI plugin for what the page around it lacks: a width for phones, and the reader's choice of dark or light.
 * It reaches the browser as its source text, so it may use nothing from outside itself.
 */
export function page() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  follow();
  dark.addEventListener('change', follow);
  const viewport = document.createElement('meta');
  viewport.name = 'viewport';
  viewport.content = 'width=device-width, initial-scale=1';
  document.head.append(viewport);
  return {};
}
