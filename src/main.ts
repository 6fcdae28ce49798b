import '#node-version'; // first: an unsupported Node.js is told so, and cannot load the rest

const { load } = await import('./platform/config/out-of-files.js');
await load(async () => {
  const { APPLICATION } = await import('./application.js');
  const { runService } = await import('./platform/bootstrap/start.js');
  runService(APPLICATION);
});
