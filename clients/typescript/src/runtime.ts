/** What the client takes from its surroundings. A test gives its own; times are in milliseconds. */
export interface Runtime {
  readonly fetch: typeof fetch;
  /** Unix time. */
  readonly now: () => number;
  /** Ends early, with the reason of the signal, when that is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** A signal that is aborted after that time. */
  readonly timeout: (milliseconds: number) => AbortSignal;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly warn: (message: string) => void;
}

export const RUNTIME: Runtime = {
  fetch: (input, init) => fetch(input, init), // looked up at each call: a program may replace the global one
  now: Date.now,
  sleep,
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  random: Math.random,
  warn: (message) => {
    // eslint-disable-next-line no-console -- the console is where a developer looks for the warning of a library
    console.warn(message);
  },
};

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error); // by convention an Error; whatever it is, it is the caller's own
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** 128 random bits in hexadecimal digits. `crypto.randomUUID` is missing in a page without TLS. */
export const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

interface NodeProcess {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly versions?: { readonly node?: string };
}

/** Undefined in a browser. */
const node = (globalThis as { readonly process?: NodeProcess }).process;

export const environmentVariable = (name: string): string | undefined => node?.env?.[name];

const version = node?.versions?.node;

/** Such as `node/20.19.0`. Undefined in a browser. */
export const platform = version === undefined ? undefined : `node/${version}`;
