/** What the program that runs the tests of a service says to each of their processes. */
export const testRun = {
  /** The PostgreSQL that it has started. @throws Error without one */
  get server(): string {
    const { TEST_SERVER } = process.env;
    if (TEST_SERVER === undefined) throw new Error('Tests run with: npm test');
    return TEST_SERVER;
  },
  /** Whether a test may replace the document in the repository. */
  isUpdating: process.env.UPDATE_OPENAPI === 'true',
};
