import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';

const BUFFER_SIZE = 65_536;

export interface PacedSocket {
  readonly socket: Socket;
  /** Waits between two reads from now on, in milliseconds. */
  readonly pace: (interval: number) => void;
}

/**
 * A socket that can wait between two reads, and then reads all that has come at once: the kernel keeps it meanwhile. With
 * hundreds of small messages a second, to wake up for each is most of their cost. An ordinary socket cannot wait: after
 * `pause()` it reads until its own buffer is full. Below TLS, Node reads past this, without a pause.
 */
export function pacedSocket(): PacedSocket {
  let interval = 0;
  const callback = (size: number, buffer: Uint8Array): boolean => {
    socket.emit('data', Buffer.from(buffer.subarray(0, size))); // a copy, for the next read overwrites the buffer
    if (interval === 0) return true;
    setTimeout(() => socket.resume(), interval);
    return false; // reads no further
  };
  const options: SocketConstructorOpts & ConnectOpts = {
    onread: { buffer: Buffer.alloc(BUFFER_SIZE), callback },
  };
  const socket = new Socket(options);
  return {
    socket,
    pace: (milliseconds) => {
      interval = milliseconds;
    },
  };
}
