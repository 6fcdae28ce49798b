import '#node-version'; // first: an unsupported Node.js is told so, and cannot load the rest

const { load } = await import('./platform/kernel/config/out-of-files.js');
await load(async () => {
  const { SERVICE } = await import('./service.js');
  const { runService } = await import('./platform/program/index.js');
  runService(SERVICE);
}, 'petstore');
