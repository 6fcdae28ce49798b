import type { Response } from 'express';

/** What capabilities add to each response. */
export interface ResponseHooks {
  /** @param base address of the service, without `/v1` */
  readonly addHeaders: (response: Response, result: unknown, base: () => string) => void;
  /** Sets the validators of a response, and tells whether the client's copy is current. */
  readonly addValidators: (response: Response, body: string) => boolean;
}
