/** Does some work. @returns its result, and the milliseconds of CPU that this process took: those of others do not count */
export async function cpuTime<T>(work: () => T | Promise<T>): Promise<{ result: T; took: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, took: (user + system) / 1000 };
}
