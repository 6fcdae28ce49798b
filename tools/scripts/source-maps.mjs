// Maps stack traces to the service's sources. Packages are excluded: their maps refer to sources that are not
// published.
import * as module from 'node:module';

if (module.setSourceMapsSupport) module.setSourceMapsSupport(true, { nodeModules: false });
else process.setSourceMapsEnabled(true); // before Node.js 22.14
