import '#node-version';

// Only now, because an unsupported Node.js cannot load it.
await import('./service.js');
