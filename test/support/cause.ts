const MOST_OF_A_SUITE = 4_000;
const MOST = 16_000;

/** Why a command failed: what its run of Jest says of the tests that failed, otherwise the end of its output. */
export function causeIn(output: string): string {
  const [run = ''] = output.split('\nSummary of all failing tests'); // says it again
  const failed = run.split(/^(?=(?:PASS|FAIL) |Test Suites: )/m).filter((part) => part.startsWith('FAIL '));
  if (failed.length === 0) return output.slice(-MOST);
  return failed
    .map((suite) => suite.slice(0, MOST_OF_A_SUITE))
    .join('\n')
    .slice(0, MOST);
}
