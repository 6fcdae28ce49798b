declare module 'pg/lib/utils.js' {
  const utils: {
    /** What `pg` sends for a value. Throws for what it cannot send, such as a BigInt within JSON. */
    readonly prepareValue: (value: unknown) => unknown;
  };
  export default utils;
}
