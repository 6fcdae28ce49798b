import type { Response } from 'superagent';

type Done = (error: Error | null, body: unknown) => void;

/** For supertest's `parse()`: the bytes of a body, whatever its type. */
export function asBytes(response: Response, done: Done): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: string | Buffer) => chunks.push(Buffer.from(chunk as string, 'binary')));
  response.on('end', () => {
    done(null, Buffer.concat(chunks));
  });
}

/** The text of a body, digits of large numbers included. */
export function asText(response: Response, done: Done): void {
  asBytes(response, (error, body) => {
    done(error, (body as Buffer).toString());
  });
}
