import { accessibility } from './accessibility.plugin.js';
import { colorScheme } from './color-scheme.plugin.js';
import { hideTryItPanel } from './hide-try-it.plugin.js';
import { marks } from './marks.plugin.js';
import { ownAddress } from './own-address.plugin.js';
import { shortResponses } from './short-responses.plugin.js';

const OPTIONS = {
  dom_id: '#swagger-ui',
  deepLinking: true,
  layout: 'BaseLayout', // without the top bar
  validatorUrl: 'none', // it would send the document to another host
  persistAuthorization: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
};

/** Starts the Swagger UI in the browser. The plugins reach it as their source text. */
export function initScript(): string {
  const plugins = [accessibility, colorScheme, hideTryItPanel, marks, ownAddress, shortResponses].map(String);
  return `window.ui = SwaggerUIBundle({
  ...${JSON.stringify(OPTIONS)},
  url: location.pathname.replace(/\\/docs(\\/.*)?$/, '') + '/openapi.json',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [${plugins.join(',\n')}],
});
`;
}
