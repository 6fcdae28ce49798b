import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import type { Readable } from 'node:stream';

const DEFAULT_HANDLER = String(new StreamableFile(Buffer.alloc(0)).errorHandler);

/**
 * Waits for the first bytes of a file, so that a filter can still respond where it fails before them; later failures cut
 * the connection. A file with an error handler of its own is left to that.
 * @throws what the file's stream fails with
 */
export async function firstBytes(file: StreamableFile, response: Response): Promise<void> {
  const stream = file.getStream();
  if (String(file.errorHandler) !== DEFAULT_HANDLER || stream.readableLength > 0 || stream.readableEnded)
    return;
  if (stream.errored) throw stream.errored;
  response.once('close', () => stream.destroy());
  await readable(stream);
}

function readable(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('readable', resolve).once('close', resolve).once('error', reject);
  });
}
