import '#node-version';

// Only now, because an unsupported Node.js cannot load it.
const { outOfFiles } = await import('./platform/config/out-of-files.js');
await import('./service.js').catch((error: unknown) => {
  const sentence = outOfFiles(error);
  if (sentence === undefined) throw error;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
});
