/**
 * The process that has the control planes of suites. Each connection of a stand-in is a server of its own, with the five
 * phases, the options and the data directory that it would have in a process of its own; they share compiled code,
 * the tables of kinds and the loop. It ends when there has been no control plane for some time.
 */
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { parseServeOptions } from '../../../flags/flags.ts';
import { deprecationLines } from '../../../flags/taken-flags.ts';
import { StartupError } from '../../../process/startup-error.ts';
import { systemClock } from '../../../process/system-clock.ts';
import { collectYoungAlone, serveIn } from '../../serve/serve.ts';
import { whyAlone } from './alone.ts';
import { hear, tell, type ToPlanes } from './messages.ts';
import { PlaneHost } from './plane-host.ts';

/** Where the process is met, and how long it stays. */
export interface PlanesParts {
  /** Where stand-ins come; what lies there is left over from a process that has ended. */
  readonly socket: string;
  /** How long it waits for another control plane. */
  readonly idleMs: number;
}

/** The caller holds the lock of the directory. Settles when it listens. */
export function servePlanes({ socket: path, idleMs }: PlanesParts): Promise<void> {
  collectYoungAlone();
  rmSync(path, { force: true });
  const planes = new Set<PlaneHost>();
  const connections = new Set<Socket>();
  let isEnding = false;
  let cancel = (): void => undefined;
  /** From the end of the last connection and the last control plane on the time runs. */
  function look(): void {
    cancel();
    if (connections.size + planes.size > 0) return;
    cancel = systemClock.after(isEnding ? 0 : idleMs, () => {
      end(server);
    });
  }
  const server = createServer((socket) => {
    connections.add(socket);
    cancel();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      connections.delete(socket);
      look();
    });
    greet(socket, planes, look);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      isEnding = true;
      for (const plane of planes) plane.stop();
      look();
    });
  }
  look();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

/** A stand-in that comes in this moment is not greeted, and starts another process. */
function end(server: Server): void {
  server.close(() => process.exit(0));
}

function greet(socket: Socket, planes: Set<PlaneHost>, ended: () => void): void {
  const host = new PlaneHost(socket);
  host.whenEnding(() => {
    planes.delete(host);
    ended();
  });
  socket.once('close', () => {
    host.stop();
  });
  hear(socket, (said) => {
    const message = said as ToPlanes; // It is of this build.
    if (message.type === 'signal') host.signal(message.signal);
    if (message.type !== 'start') return;
    const why = whyAlone(message.argv);
    if (why !== undefined) {
      tell(socket, { type: 'refused', why });
      return;
    }
    planes.add(host);
    void start(host, message.argv);
  });
  tell(socket, { type: 'hello', pid: process.pid });
}

/** As kube-apiserver has it; and no profiles, which would show the other control planes. */
const BY_DEFAULT = ['--bind-address=0.0.0.0', '--profiling=false'];

/** What the command line does for a server that has a process. */
async function start(host: PlaneHost, argv: readonly string[]): Promise<void> {
  try {
    const options = parseServeOptions([...BY_DEFAULT, ...argv], (path) =>
      readFileSync(path, 'utf8'),
    );
    for (const line of deprecationLines(options.said)) host.write.error(`${line}\n`);
    await serveIn(host, options);
  } catch (error) {
    const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const why = error instanceof StartupError ? error.message : whole;
    host.write.error(`everwatch: ${why}\n`);
    host.exit(1);
  }
}
