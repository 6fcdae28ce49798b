import '#node-version'; // first: an unsupported Node.js is told so, and cannot load the rest

const { load } = await import('./platform/kernel/config/out-of-files.js');
await load(async () => {
  const { APPLICATION } = await import('./application.js');
  const { runService } = await import('./platform/program/bootstrap/start.js');
  runService(APPLICATION);
});
