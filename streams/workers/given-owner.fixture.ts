/** For tests: an owner of a log with workers in the same process, each at its end of a socket as processes have them. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { LogOwner } from './log-owner.ts';
import { WorkerEventLog } from './worker-event-log.ts';

let made = 0;
const open: (() => Promise<void>)[] = [];

/** What {@link given} gives. */
export interface GivenOwner {
  readonly path: string;
  readonly owner: LogOwner;
  /** Another worker of the owner, and the owner's end of its pipe. */
  worker(): Promise<{ log: WorkerEventLog; pipe: Socket; ownersEnd: Socket }>;
}

/** An owner of a log in the folder, or of the log at the path. */
export function given(folder: string, path = join(folder, String((made += 1)))): GivenOwner {
  const owner = new LogOwner(path);
  open.push(() => owner.close());
  return {
    path,
    owner,
    async worker() {
      const { pipe, ownersEnd } = await pipeBetween(folder);
      owner.serve(ownersEnd, (error) => {
        throw error;
      });
      const log = await WorkerEventLog.open(path, { pipe, end: owner.end });
      open.push(() => log.close());
      return { log, pipe, ownersEnd };
    },
  };
}

/** Closes all that was given, the last first. */
export async function closeGiven(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

/** The ends of a Unix socket. */
async function pipeBetween(folder: string): Promise<{ pipe: Socket; ownersEnd: Socket }> {
  const address = join(folder, `${String((made += 1))}.sock`);
  const server = createServer().listen(address);
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const pipe = connect(address);
  const [ownersEnd] = (await accepted) as [Socket];
  server.close();
  return { pipe, ownersEnd };
}
