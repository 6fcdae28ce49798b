// The built service with a module that ends the process in the way named by the argument.
import { register } from 'node:module';
import { Inject, Module } from '@nestjs/common';
import { loadPackageSync } from '@nestjs/common/internal';

const modules = {
  'missing package': class {
    constructor() {
      loadPackageSync('no-such-package', 'SuppliersModule'); // as Nest modules do
    }
  },
  'missing provider': class {},
  'thrown constructor': class {
    constructor() {
      throw new Error('A supplier has no name');
    }
  },
  'thrown later': class {
    onApplicationBootstrap() {
      setImmediate(() => {
        throw new Error('A supplier has no name');
      });
    }
  },
  'rejected later': class {
    onApplicationBootstrap() {
      void Promise.reject(new Error('A supplier has no name'));
    }
  },
  exit: class {
    onApplicationBootstrap() {
      process.exit(3);
    }
  },
};

/** Makes the import of the application fail, as a module with a mistake does. */
const FAIL = `
export const load = (url, context, next) =>
  url.endsWith('/app.module.js')
    ? { format: 'module', shortCircuit: true, source: 'export let AppModule; throw new Error("A supplier has no name")' }
    : next(url, context);
`;

if (process.argv[2] === 'failed import') register(`data:text/javascript,${encodeURIComponent(FAIL)}`);
else await addModule(modules[process.argv[2]]);
await import('../../dist/src/main.js');

async function addModule(SuppliersModule) {
  Object.defineProperty(SuppliersModule, 'name', { value: 'SuppliersModule' });
  if (process.argv[2] === 'missing provider') {
    Inject('SUPPLIERS')(SuppliersModule, undefined, 0);
    Reflect.defineMetadata('design:paramtypes', [Object], SuppliersModule);
  }
  Module({})(SuppliersModule);
  const { AppModule } = await import('../../dist/src/app.module.js');
  Module({ imports: [SuppliersModule] })(AppModule);
}
