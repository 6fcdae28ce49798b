import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const MOST = 20; // lines for each test

/** Collects what the services of a suite logged as errors during each failed test (test/support/run-log.ts keeps their logs). */
export class ServiceLog {
  #file = join(process.env.PETSTORE_TEST_LOGS ?? '', `${process.pid}.log`);
  #read = this.#size();
  #failures = [];

  /** What was logged before a suite's first test counts as part of that. */
  async endOfTest({ name, errors }) {
    if (errors.length > 0) await setTimeout(200); // a service in another process may still be writing
    const text = errors.length > 0 ? this.#unread() : '';
    this.#read = this.#size();
    const lines = text.split('\n').flatMap(errorIn);
    if (lines.length > 0)
      this.#failures.push(`During "${name}" the service logged:\n${lines.slice(-MOST).join('\n')}`);
  }

  /** Adds the lines to the report of a failed suite, which shows no whole API key: reports of CI are public. */
  explain(result) {
    if (!result.failureMessage) return result;
    const report = [result.failureMessage, ...this.#failures.map((text) => text.replace(/^/gm, '    '))];
    return {
      ...result,
      failureMessage: withoutKeys(report.join('\n')),
      testResults: result.testResults.map((test) => ({
        ...test,
        failureMessages: test.failureMessages.map(withoutKeys),
        failureDetails: [], // the same again, as objects
      })),
    };
  }

  #size() {
    return existsSync(this.#file) ? statSync(this.#file).size : 0;
  }

  #unread() {
    const bytes = Buffer.alloc(this.#size() - this.#read);
    if (bytes.length === 0) return '';
    const file = openSync(this.#file);
    readSync(file, bytes, 0, bytes.length, this.#read);
    closeSync(file);
    return bytes.toString();
  }
}

const withoutKeys = (text) => text.replace(/_([0-9A-Za-z]{4})[0-9A-Za-z]{41}([0-9A-Za-z]{4})\b/g, '_$1…$2');

function errorIn(line) {
  if (!/^\{.*("level":"(error|fatal)"|"reason":).*\}$/.test(line)) return [];
  const { level, msg, stack, method, route, status, reason } = JSON.parse(line);
  return [`${level}: ${stack ?? msg ?? `${method} ${route} ${status} ${reason ?? ''}`.trimEnd()}`];
}
