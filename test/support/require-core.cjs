module.exports = globalThis.nestForThrottler.core;
