import type { Response } from 'supertest';
import type TestAgent from 'supertest/lib/agent.js';
import type { Document, Operation } from './document.js';

/** The responses that a suite has got, to compare with the document. */
export class SeenResponses {
  private readonly seen: Response[] = [];

  /** Keeps what the client gets. */
  watch(client: TestAgent): TestAgent {
    return client.on('response', (response: Response) => this.seen.push(response));
  }

  /** Lists where a response to a documented operation differs from its description: the first of each status. */
  async faults(document: Document): Promise<string[]> {
    const { ResponseValidator } = await import('./response-validator.js');
    const validator = new ResponseValidator(document);
    const find = operationOf(document);
    const faults = new Map<string, string>();
    for (const response of this.seen) {
      const { method, url } = response.request as unknown as { method: string; url: string };
      const found = find(method, new URL(url).pathname);
      if (!found) continue;
      const place = `${method} /v1${found.path}, ${response.status}`;
      const [fault] = validator.faults(found.operation, response);
      if (fault !== undefined && !faults.has(place)) faults.set(place, fault);
    }
    return [...faults].map(([place, fault]) => `${place}: ${fault}`);
  }
}

/** Finds the operation of a path; one without a parameter comes before one with it. */
function operationOf({ paths }: Document) {
  const templates = Object.entries(paths)
    .map(([path, operations]) => ({
      path,
      operations,
      pattern: new RegExp(`^/v1${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    }))
    .sort((a, b) => parameters(a.path) - parameters(b.path));
  return (method: string, pathname: string): { path: string; operation: Operation } | undefined => {
    const found = templates.find(({ pattern }) => pattern.test(pathname));
    const operation = found?.operations[method.toLowerCase()];
    return found && operation ? { path: found.path, operation } : undefined;
  };
}

const parameters = (path: string) => path.split('{').length;
