import { CreateManyError, PetstoreError, TimeoutError } from '../errors.js';
import { writeJson } from '../exact-json.js';
import { randomText } from '../runtime.js';
import type { RequestOptions, Transport } from '../transport.js';
import type { FieldError, NewPet, NewPetBatch, Pet } from '../types.js';

export interface CreateManyOptions<Id = bigint> extends RequestOptions {
  /** Milliseconds for all requests and waits. Without it, a wait for the quota may last until the next day. */
  readonly totalTimeout?: number | undefined;
  /** 1 to 255 printable ASCII characters for this list of pets. With the same one, another run continues where this one was cut off. */
  readonly idempotencyKey?: string | undefined;
  /** Called after each request: how many pets exist now, and those that it has added. */
  readonly onProgress?: ((created: number, added: readonly Pet<Id>[]) => void) | undefined;
}

/** How many pets a request of each plan takes, the largest first. */
const SIZES = [100, 50, 10] as const;
/** Of a body, with what surrounds the pets. */
const MAX_BYTES = 16 * 1_024;
const SURROUNDINGS = '{"pets":[]}'.length;

/** What the service says of a part that is too large for it, or that it knows as a larger or a smaller one. */
const NEEDS_ANOTHER_SIZE = ['too_many_pets', 'idempotency_key_reused'];
const TOO_LARGE = 413; // perhaps of a proxy, which has no code

/**
 * Adds pets in parts. The key of a part is made from the key of the whole and the place of its first pet, so what a part contains must not
 * depend on what changes between two runs, as the plan does: each part begins with the most that any plan takes and gets smaller until the service takes
 * it, or has stored it. It has stored the parts of an earlier run in their sizes, and refuses others.
 */
export async function createMany<Id>(
  transport: Transport<Id>,
  pets: Iterable<NewPet<Id>> | AsyncIterable<NewPet<Id>>,
  { idempotencyKey = randomText(), onProgress, totalTimeout = Infinity, ...options }: CreateManyOptions<Id>,
): Promise<Pet<Id>[]> {
  const { signal } = options;
  const ends = transport.now() + totalTimeout;
  const created: Pet<Id>[] = [];
  const waiting: NewPet<Id>[] = [];
  let size: number = SIZES[0];

  const send = async (): Promise<void> => {
    let count = Math.min(size, fitting(waiting));
    for (;;) {
      try {
        const left = ends - transport.now();
        // A request that has no time could be processed without a response.
        if (left <= 0) throw new TimeoutError({ code: 'timeout', message: 'The totalTimeout is over.' });
        const added = await transport.call(
          'createPets',
          { body: { pets: waiting.slice(0, count) } as NewPetBatch<Id> }, // whose members may be undefined, too
          {
            ...options,
            totalTimeout: left,
            waitsForQuota: true,
            idempotencyKey: await keyOf(idempotencyKey, created.length),
          },
        );
        waiting.splice(0, count);
        created.push(...added.pets);
        onProgress?.(created.length, added.pets);
        return;
      } catch (error) {
        const isOfSize =
          error instanceof PetstoreError &&
          (error.status === TOO_LARGE || NEEDS_ANOTHER_SIZE.includes(error.code));
        if (!isOfSize || count === 1) throw error;
        size = count = smaller(count);
      }
    }
  };

  try {
    signal?.throwIfAborted();
    for await (const pet of pets) {
      signal?.throwIfAborted();
      waiting.push('toJSON' in pet ? pet : { ...pet }); // the caller may use the object again
      if (waiting.length >= SIZES[0]) await send();
    }
    while (waiting.length > 0) await send();
  } catch (cause) {
    if (signal?.aborted === true && cause === signal.reason) throw cause; // as any call does
    throw new CreateManyError(atPlace(cause, created.length), created);
  }
  return created;
}

const smaller = (count: number): number => SIZES.find((one) => one < count) ?? Math.floor(count / 2);

/** How many fit into a body, at least one. */
function fitting(pets: readonly unknown[]): number {
  const encoder = new TextEncoder();
  let bytes = SURROUNDINGS;
  for (const [i, pet] of pets.entries()) {
    bytes += encoder.encode(writeJson(pet)).length + 1;
    if (bytes > MAX_BYTES) return Math.max(1, i);
  }
  return pets.length;
}

async function keyOf(key: string, first: number): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${key}\n${first}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An error of a part names pets by their place in the whole. */
function atPlace(error: unknown, offset: number): unknown {
  if (!(error instanceof PetstoreError) || offset === 0) return error;
  const moved = (text: string) =>
    text.replace(
      /(?<![^ /])(pets[./])(\d+)/g,
      (_, before: string, place: string) => `${before}${Number(place) + offset}`,
    );
  const details = error.details.map((detail): FieldError => {
    const { field, message, pointer } = detail;
    return {
      ...detail,
      field: moved(field),
      message: moved(message),
      ...(pointer !== undefined && { pointer: moved(pointer) }),
    };
  });
  return Object.assign(error, { details, message: moved(error.message) });
}
