/** Runs `work`. @returns its result, and the CPU milliseconds used by this process only */
export async function cpuTime<T>(work: () => T | Promise<T>): Promise<{ result: T; took: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, took: (user + system) / 1000 };
}
