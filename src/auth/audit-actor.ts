import { hostname, userInfo } from 'node:os';

/** On whose behalf keys are changed: what the history of a key says of each change. */
export class AuditActor {
  readonly osUser = userName();
  readonly host = hostname();

  /** @param command the program that makes the changes, as its user calls it */
  constructor(readonly command: string) {}
}

/** A container may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
