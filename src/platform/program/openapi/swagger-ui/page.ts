import type { OpenAPIObject } from '@nestjs/swagger';
import { service } from '../../../kernel/config/service.js';
import { writeJson } from '../../../kernel/json/write-json.js';
import { servicePlugin } from './plugin.js';

/**
 * The page of the Swagger UI. It has no inline script, which its security policy forbids.
 * @param address of one of its files, relative to the page
 */
export const uiPage = (address: (file: string) => string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${service().title}</title>
<link rel="icon" type="image/png" href="${address('favicon-32x32.png')}" sizes="32x32">
<link rel="stylesheet" href="${address('swagger-ui.css')}">
<link rel="stylesheet" href="${address('theme.css')}">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${address('swagger-ui-bundle.js')}"></script>
<script src="${address('swagger-ui-init.js')}"></script>
</body>
</html>
`;

const OPTIONS = {
  dom_id: '#swagger-ui',
  deepLinking: true,
  layout: 'BaseLayout', // without the top bar
  persistAuthorization: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: 'none', // it would send the document to another host
};

/** The script that starts the page. @param document see `uiDocument` */
export const uiScript = (document: OpenAPIObject): string => `SwaggerUIBundle({
  ...${JSON.stringify(OPTIONS)},
  spec: ${writeJson(document)},
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl, ${servicePlugin.toString()}],
});
`;
