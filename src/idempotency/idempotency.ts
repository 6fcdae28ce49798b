import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import type { Around } from '../http/around.decorator.js';
import { inTransaction } from '../database/shared-transaction.js';
import { writeJson } from '../kernel/json/write-json.js';
import { WrittenJson } from '../kernel/json/written-json.js';
import { fingerprint } from './fingerprint.js';
import { idempotencyKey } from './idempotency-key.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import { type KeptAnswer, KeptAnswers, type Repeatable } from './kept-answers.js';

export const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';
const RETRY_AFTER = '1'; // seconds; a transaction is over long before, or has been ended

/**
 * Lets a handler run once for an `Idempotency-Key`: what it writes and its answer are committed together, and the
 * answer is given again to every repeat. A handler that throws leaves nothing behind, so its repeat runs anew.
 */
@Injectable()
export class Idempotency implements Around {
  constructor(
    private readonly dataSource: DataSource,
    private readonly kept: KeptAnswers,
  ) {}

  around(request: Request, response: Response, handle: () => unknown): unknown {
    return request.headers['idempotency-key'] === undefined ? handle() : this.once(request, response, handle);
  }

  private async once(request: Request, response: Response, handle: () => unknown) {
    const repeatable = repeatableFrom(request);
    const answer = await this.kept.find(repeatable);
    if (answer) return replay(answer, response);
    return inTransaction(this.dataSource, () => this.first(repeatable, response, handle));
  }

  private async first(repeatable: Repeatable, response: Response, handle: () => unknown) {
    if (!(await this.kept.claim(repeatable))) throw inProgress(response);
    const before = response.getHeaders();
    const body = written(await handle());
    const headers = Object.fromEntries(
      Object.entries(response.getHeaders()).filter(([name, value]) => before[name] !== value),
    ) as KeptAnswer['headers'];
    const answer = { status: response.statusCode, headers, body: body?.text ?? null };
    // Somebody else may have finished between the question and the claim: then this one must not have happened.
    if (!(await this.kept.keep(repeatable, answer))) throw inProgress(response);
    return body;
  }
}

function repeatableFrom(request: Request): Repeatable {
  const { caller, method, originalUrl, headersDistinct } = request;
  const key = idempotencyKey(headersDistinct['idempotency-key'] ?? []);
  if (caller?.kind !== 'key') throw new Error('An idempotent operation lets callers without a key through.');
  return { caller: caller.id, key, fingerprint: fingerprint(method, originalUrl, request.body) };
}

function written(answer: unknown): WrittenJson | undefined {
  return answer === undefined ? undefined : new WrittenJson(writeJson(answer));
}

function replay({ status, headers, body }: KeptAnswer, response: Response): WrittenJson | undefined {
  response.status(status).set(IDEMPOTENT_REPLAYED, 'true');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return body === null ? undefined : new WrittenJson(body);
}

function inProgress(response: Response): IdempotencyInProgress {
  response.setHeader('Retry-After', RETRY_AFTER);
  return new IdempotencyInProgress();
}
