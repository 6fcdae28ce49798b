// The built service with a module that ends the process in the way named by the argument.
import { Module } from '@nestjs/common';
import { loadPackageSync } from '@nestjs/common/internal';

const modules = {
  'missing package': class {
    constructor() {
      loadPackageSync('no-such-package', 'SuppliersModule'); // as Nest modules do
    }
  },
  'thrown constructor': class {
    constructor() {
      throw new Error('A supplier has no name');
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

await addModule(modules[process.argv[2]]);
await import('../../dist/src/main.js');

async function addModule(SuppliersModule) {
  Object.defineProperty(SuppliersModule, 'name', { value: 'SuppliersModule' });
  Module({})(SuppliersModule);
  const { AppModule } = await import('../../dist/src/app.module.js');
  Module({ imports: [SuppliersModule] })(AppModule);
}
