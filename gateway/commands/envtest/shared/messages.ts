/**
 * What a stand-in for kube-apiserver and the process that has its control plane say to each other: lines of
 * JSON over a Unix socket. One connection is one control plane, so that the plane ends with the stand-in however
 * that ends, and the stand-in learns of the end of the process at once.
 */
import type { Socket } from 'node:net';
import { isAbsolute } from 'node:path';

/** From the stand-in. */
export type ToPlanes =
  /** The flags of kube-apiserver; once, as the first message. */
  | { readonly type: 'start'; readonly argv: readonly string[] }
  /**
   * Flags beside those that say where it is, in place of `start`, by a suite that leaves that to the process. `keep`: where its log
   * stays behind its end.
   */
  | { readonly type: 'take'; readonly flags: readonly string[]; readonly keep: string | undefined }
  /** As the stand-in got it. */
  | { readonly type: 'signal'; readonly signal: 'SIGTERM' | 'SIGINT' };

/** From the process that has the control planes. */
export type FromPlanes =
  /** It takes this connection; without it the process was about to end. */
  | { readonly type: 'hello'; readonly pid: number }
  /** The flags need a process of their own, and why. */
  | { readonly type: 'refused'; readonly why: string }
  /** Of what was taken: the paths of its kubeconfig and data, and the revision that it has now. */
  | ReadyPlane
  /** For standard output and standard error. */
  | { readonly type: 'said'; readonly stream: 'info' | 'error'; readonly text: string }
  /** The exit code. */
  | { readonly type: 'ended'; readonly code: number };

/** A control plane that was taken, and answers. */
export interface ReadyPlane {
  readonly type: 'ready';
  readonly kubeconfig: string;
  readonly dataDirectory: string;
  readonly resourceVersion: string;
}

/** More is a fault of ours. */
const LINE_CHARS_MAX = 64 * 1024 * 1024;

/** What a suite says, which need not be of this build, nor know what there is to say. undefined: nothing that there is. */
export function readToPlanes(said: unknown): ToPlanes | undefined {
  if (typeof said !== 'object' || said === null) return undefined;
  const { type, argv, flags = [], keep = '', signal } = said as Readonly<Record<string, unknown>>;
  if (type === 'start' && isTexts(argv)) return { type, argv };
  if (type === 'take' && isTexts(flags) && typeof keep === 'string') {
    return { type, flags, keep: isAbsolute(keep) ? keep : undefined };
  }
  const isSignal = signal === 'SIGTERM' || signal === 'SIGINT';
  return type === 'signal' && isSignal ? { type, signal } : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

export function tell(socket: Socket, message: ToPlanes | FromPlanes): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls back for each message, from now on; a connection with a line that is too long, or that is no JSON, is closed. */
export function hear(socket: Socket, take: (message: unknown) => void): void {
  const begun: string[] = [];
  let chars = 0;
  socket.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n');
    begun.push(first);
    chars += first.length;
    if (chars > LINE_CHARS_MAX) socket.destroy();
    for (const next of others) {
      const message = parsed(begun.splice(0).join(''));
      if (message === undefined) socket.destroy();
      else take(message);
      begun.push(next);
      chars = next.length;
    }
  });
}

/** undefined: it is no JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
