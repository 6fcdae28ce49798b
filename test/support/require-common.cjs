module.exports = globalThis.nestForThrottler.common;
