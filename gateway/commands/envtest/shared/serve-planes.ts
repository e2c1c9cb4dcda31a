/**
 * What a process does that has the control planes of suites: one that all suites share, or the etcd of one suite. Each connection of a stand-in is a server of its own, with the five
 * phases, the options and the data directory that it would have in a process of its own; they share compiled code,
 * the tables of kinds and the loop. It ends when there has been no control plane for some time.
 */
import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { parseServeOptions } from '../../../flags/flags.ts';
import { deprecationLines } from '../../../flags/taken-flags.ts';
import { StartupError } from '../../../process/startup-error.ts';
import { systemClock } from '../../../process/system-clock.ts';
import { limitOld, limitYoung } from '../../serve/collector.ts';
import { serveIn } from '../../serve/serve.ts';
import { whyAlone } from './alone.ts';
import { hear, tell, type ToPlanes } from './messages.ts';
import { PlaneHost } from './plane-host.ts';

/** Where stand-ins come, and what the process is to them. */
export interface PlanesParts {
  /** Where stand-ins come. */
  readonly server: Server;
  /** How long it waits for another control plane; undefined: it stays until a signal ends it. */
  readonly idleMs: number | undefined;
  /** Whether all control planes are those of one suite, so that one may show what the process does. */
  readonly isOfOneSuite: boolean;
}

/** From now on control planes can come, until SIGTERM or SIGINT ends them and the process. */
export function servePlanes({ server, idleMs, isOfOneSuite }: PlanesParts): void {
  limitYoung('medium');
  const planes = new Set<PlaneHost>();
  const connections = new Set<Socket>();
  let isEnding = false;
  let cancel = (): void => undefined;
  /** From the end of the last connection and the last control plane on the time runs. */
  function look(): void {
    cancel();
    const waitMs = isEnding ? 0 : idleMs;
    if (connections.size + planes.size > 0 || waitMs === undefined) return;
    cancel = systemClock.after(waitMs, () => {
      end(server);
    });
  }
  server.on('connection', (socket) => {
    connections.add(socket);
    cancel();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      connections.delete(socket);
      look();
    });
    greet(socket, { planes, isOfOneSuite, ended: look });
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      isEnding = true;
      for (const plane of planes) plane.stop();
      look();
    });
  }
  look();
}

/** A stand-in that comes in this moment is not greeted, and starts another process. */
function end(server: Server): void {
  server.close(() => process.exit(0));
}

interface Planes {
  readonly planes: Set<PlaneHost>;
  readonly isOfOneSuite: boolean;
  readonly ended: () => void;
}

function greet(socket: Socket, { planes, isOfOneSuite, ended }: Planes): void {
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
    // As kube-apiserver has it; and no profiles where they would show other suites.
    const byDefault = ['--bind-address=0.0.0.0', ...(isOfOneSuite ? [] : ['--profiling=false'])];
    void start(host, [...byDefault, ...message.argv], isOfOneSuite);
  });
  tell(socket, { type: 'hello', pid: process.pid });
}

/** What the command line does for a server that has a process. */
async function start(
  host: PlaneHost,
  argv: readonly string[],
  isOfOneSuite: boolean,
): Promise<void> {
  try {
    const options = parseServeOptions(argv, (path) => readFileSync(path, 'utf8'));
    for (const line of deprecationLines(options.said)) host.write.error(`${line}\n`);
    await host.openPort(options.listening);
    await serveIn(host, options);
    // Beside others that start, hardly anything would be garbage.
    if (isOfOneSuite) limitOld(options.lifecycle.memoryFootprint);
  } catch (error) {
    const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const why = error instanceof StartupError ? error.message : whole;
    host.write.error(`everwatch: ${why}\n`);
    host.exit(1);
  }
}
