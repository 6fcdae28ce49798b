/**
 * `@nestjs/throttler` is CommonJS and requires the parts of Nest, which are ES modules. Node has done that since
 * 20.19; Jest does it only on Node 24.9 and newer. This resolver sends those two calls to modules that hand out
 * what `require-nest.setup.mjs` has imported.
 */
const { join } = require('node:path');

module.exports = (path, options) => {
  const bridged = path === '@nestjs/common' || path === '@nestjs/core';
  return bridged && options.basedir.includes(join('@nestjs', 'throttler'))
    ? join(__dirname, `require-${path.slice('@nestjs/'.length)}.cjs`)
    : options.defaultResolver(path, options);
};
