/**
 * What a stand-in for kube-apiserver and the process that has its control plane say to each other: lines of
 * JSON over a Unix socket. One connection is one control plane, so that the plane ends with the stand-in however
 * that ends, and the stand-in learns of the end of the process at once.
 */
import type { Socket } from 'node:net';

/** From the stand-in. */
export type ToPlanes =
  /** The flags of kube-apiserver; once, as the first message. */
  | { readonly type: 'start'; readonly argv: readonly string[] }
  /** As the stand-in got it. */
  | { readonly type: 'signal'; readonly signal: 'SIGTERM' | 'SIGINT' };

/** From the process that has the control planes. */
export type FromPlanes =
  /** It takes this connection; without it the process was about to end. */
  | { readonly type: 'hello'; readonly pid: number }
  /** The flags need a process of their own, and why. */
  | { readonly type: 'refused'; readonly why: string }
  /** For standard output and standard error. */
  | { readonly type: 'said'; readonly stream: 'info' | 'error'; readonly text: string }
  /** The exit code. */
  | { readonly type: 'ended'; readonly code: number };

/** More is a fault of ours. */
const LINE_CHARS_MAX = 64 * 1024 * 1024;

export function tell(socket: Socket, message: ToPlanes | FromPlanes): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

/**
 * Calls back for each message, from now on; a connection with a line that is too long is closed. The other end is a
 * program of this build, so that a caller knows what comes.
 */
export function hear(socket: Socket, take: (message: unknown) => void): void {
  const begun: string[] = [];
  let chars = 0;
  socket.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n');
    begun.push(first);
    chars += first.length;
    if (chars > LINE_CHARS_MAX) socket.destroy();
    for (const next of others) {
      const line = begun.splice(0).join('');
      take(JSON.parse(line));
      begun.push(next);
      chars = next.length;
    }
  });
}
