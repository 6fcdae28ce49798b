import '#node-version';

// Only now, because an unsupported Node.js cannot load it.
const { load } = await import('./platform/config/out-of-files.js');
await load(() => import('./service.js'));
