// Stacks of the service name its sources. Those of packages name the files that are there: their maps name sources that
// are not published.
import * as module from 'node:module';

if (module.setSourceMapsSupport) module.setSourceMapsSupport(true, { nodeModules: false });
else process.setSourceMapsEnabled(true); // before Node.js 22.14
