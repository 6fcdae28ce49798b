// Starts the Swagger UI in the preferred colour scheme, and fixes its accessibility.

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followScheme();
dark.addEventListener('change', followScheme);

/** Adds what the library lacks for keyboards and screen readers. */
function completeElements() {
  for (const code of document.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
  const unnamed = '#servers, textarea, .examples-select-element, [data-param-name] :is(input, select)';
  for (const input of document.querySelectorAll(unnamed)) input.ariaLabel = nameOf(input);
  for (const button of document.querySelectorAll('.modal-btn')) button.ariaLabel = null; // its text is the name
}

function nameOf(input) {
  const parameter = input.closest('[data-param-name]');
  if (parameter) return parameter.dataset.paramName;
  if (input.closest('.servers')) return 'Server';
  return input.closest('.examples-select') ? 'Example' : 'Request body';
}

new MutationObserver(completeElements).observe(document.getElementById('swagger-ui'), {
  childList: true,
  subtree: true,
});

const root = location.pathname.replace(/\/docs(\/.*)?$/, '');

function petstorePlugin({ React, specActions }) {
  const h = React.createElement;

  /** A native dialog keeps the focus inside, and Escape closes it. */
  function AuthorizationPopup(props) {
    const dialog = React.useRef(null);
    const close = () => props.authActions.showDefinitions(false);
    React.useEffect(() => {
      const opener = document.activeElement;
      dialog.current.showModal();
      return () => opener?.focus();
    }, []);
    const auths = props.getComponent('auths');
    const definitions = props.authSelectors.shownDefinitions().valueSeq();
    return h(
      'dialog',
      { ref: dialog, className: 'modal-ux', 'aria-labelledby': 'authorize-title', onClose: close },
      h(
        'div',
        { className: 'modal-ux-header' },
        h('h2', { id: 'authorize-title' }, 'Available authorizations'),
        h('button', { type: 'button', className: 'close-modal', 'aria-label': 'Close', onClick: close }, '×'),
      ),
      h(
        'div',
        { className: 'modal-ux-content' },
        definitions.map((one) => h(auths, { ...props, key: 'auths', definitions: one })),
      ),
    );
  }

  return {
    components: { authorizationPopup: AuthorizationPopup },
    wrapComponents: {
      DeepLink: (Original) => (props) => h(Original, { ...props, enabled: false }), // a link in a button
      InfoUrl: () => () => null,
    },
    statePlugins: {
      spec: {
        wrapActions: {
          /** Sends requests to the address of the page, even if the document has another name for the server. */
          parseToJson: () => (text) => {
            const description = JSON.parse(text);
            description.servers[0].url = `${location.origin}${root}/v1`;
            specActions.updateJsonSpec(description);
            specActions.updateResolvedSubtree([], description);
          },
          requestResolvedSubtree: () => () => {}, // the document has no references
          validateParams:
            (original) =>
            (pathMethod, ...rest) => {
              specActions.clearResponse(...pathMethod); // otherwise an old response stays next to new validation errors
              return original(pathMethod, ...rest);
            },
        },
        wrapSelectors: {
          allowTryItOutFor: (original) => (state, path, method) =>
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
