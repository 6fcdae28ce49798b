const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }; // the types are those of Node.js 20

/**
 * Has every `JSON.stringify` write a bigint digit for digit: Nest writes events and the lines of a streamed response
 * itself. Node.js 20 cannot; there such an event or line is an error, as it is without this.
 */
if (rawJSON) {
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return rawJSON(String(this));
    },
  });
}
