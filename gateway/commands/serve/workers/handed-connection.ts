/**
 * node:cluster hands a connection to a worker, and lets go of it when the worker says that it has it. Of a worker
 * that is killed before that it hears nothing: the connection stays open in the primary, and its client waits
 * without end.
 */
import type { ChildProcess } from 'node:child_process';

/** What the channel to a process takes besides messages: of node:cluster, what the system knows a socket by. */
interface Handle {
  readonly close: () => void;
}

/** Closes, when the worker has ended, the connection that it was handed last: where it had that, nothing is left to close. */
export function closeWhatIsNeverTaken(worker: ChildProcess): void {
  let last: Handle | undefined;
  const send = worker.send.bind(worker) as (...given: unknown[]) => boolean;
  worker.send = (...given: unknown[]) => {
    const [, handle] = given;
    if (isHandle(handle)) last = handle;
    return send(...given);
  };
  worker.once('exit', () => {
    last?.close();
  });
}

function isHandle(given: unknown): given is Handle {
  return typeof given === 'object' && given !== null && 'close' in given;
}
