interface Document {
  servers: { url: string }[];
}
type UpdateJsonSpec = (document: Document) => unknown;

declare const location: { readonly origin: string; readonly pathname: string };

/**
 * A Swagger UI plugin: requests go to the address the page was opened at, whatever name the document has for it.
 * A page at `localhost` that called `127.0.0.1` would be refused by the browser, and so would one behind a proxy.
 * It reaches the browser as its source text, so it may use nothing from outside itself.
 */
export function ownAddress() {
  return {
    statePlugins: {
      spec: {
        wrapActions: {
          updateJsonSpec: (original: UpdateJsonSpec) => (document: Document) => {
            const url = `${location.origin}${location.pathname.replace(/\/docs(\/.*)?$/, '')}/v1`;
            const [own, ...others] = document.servers;
            return original({ ...document, servers: [{ ...own, url }, ...others] });
          },
        },
      },
    },
  };
}
