/**
 * What a process does that has the control planes of suites: one that all suites share, or the etcd of one suite. Each connection of a stand-in is a server of its own, with the five
 * phases, the options and the data directory that it would have in a process of its own; they share compiled code,
 * the tables of kinds and the loop. It ends when there has been no control plane for some time.
 */
import { rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { systemClock } from '../../../process/system-clock.ts';
import { limitCompiler, limitYoung } from '../../serve/collector.ts';
import { whyAlone } from './alone.ts';
import { hear, readToPlanes, tell, type ToPlanes } from './messages.ts';
import { makePlacesIn } from './plane-directory.ts';
import { PlaneHost } from './plane-host.ts';
import { SparePlanes } from './spare-planes.ts';
import { startPlane } from './start-plane.ts';
import { TakenPlane } from './taken-plane.ts';

/** Where stand-ins come, and what the process is to them. */
export interface PlanesParts {
  /** Where stand-ins come. */
  readonly server: Server;
  /** How long it waits for another control plane; undefined: it stays until a signal ends it. */
  readonly idleMs: number | undefined;
  /**
   * Of the process that all suites share, where control planes have their data that leave it to the process. undefined: all
   * control planes are those of one suite, so that one may show what the process does.
   */
  readonly directory: string | undefined;
}

/** From now on control planes can come, until SIGTERM or SIGINT ends them and the process. */
export function servePlanes({ server, idleMs, directory }: PlanesParts): void {
  limitYoung('medium');
  limitCompiler('medium');
  const planes = new Set<PlaneHost>();
  const connections = new Set<Socket>();
  const places = directory === undefined ? undefined : makePlacesIn(directory);
  const spares = places === undefined ? undefined : sparesIn(places);
  let isEnding = false;
  let cancel = (): void => undefined;
  /** From the end of the last connection and the last control plane on the time runs. */
  function look(): void {
    cancel();
    const waitMs = isEnding ? 0 : idleMs;
    if (connections.size + planes.size > 0 || waitMs === undefined) return;
    cancel = systemClock.after(waitMs, () => {
      end(server, places);
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
    greet(socket, { planes, spares, ended: look });
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
function end(server: Server, places: string | undefined): void {
  server.close(() => {
    // Those that wait have no suite, and nothing that is worth keeping.
    if (places !== undefined) rmSync(places, { recursive: true, force: true });
    process.exit(0);
  });
}

function sparesIn(places: string): SparePlanes<TakenPlane> {
  return new SparePlanes({
    clock: systemClock,
    start: (flags) => new TakenPlane(places, flags),
  });
}

interface Planes {
  /** Those of suites. */
  readonly planes: Set<PlaneHost>;
  /** undefined: none can be taken. */
  readonly spares: SparePlanes<TakenPlane> | undefined;
  readonly ended: () => void;
}

function greet(socket: Socket, all: Planes): void {
  const { planes, spares, ended } = all;
  let host: PlaneHost | undefined;
  const own = (plane: PlaneHost): void => {
    host = plane;
    // Where its flags are no good it has ended before it began.
    if (plane.isEnded) return;
    planes.add(plane);
    plane.whenEnding(() => {
      planes.delete(plane);
      ended();
    });
    socket.once('close', () => {
      plane.stop();
    });
  };
  hear(socket, (said) => {
    const message = readToPlanes(said);
    if (message === undefined) {
      tell(socket, { type: 'refused', why: `not understood: ${JSON.stringify(said)}` });
    } else if (message.type === 'signal') {
      host?.signal(message.signal);
    } else if (host === undefined) {
      const why = whyRefused(message, spares);
      if (why === undefined) own(begin(message, socket, spares));
      else tell(socket, { type: 'refused', why });
    }
  });
  tell(socket, { type: 'hello', pid: process.pid });
}

type Beginning = Exclude<ToPlanes, { readonly type: 'signal' }>;

/** One of those that are spare, or one that begins now. */
function begin(message: Beginning, socket: Socket, spares: Planes['spares']): PlaneHost {
  if (message.type === 'take' && spares !== undefined) {
    const plane = spares.take(message.flags);
    void plane.belongTo(socket, message.keep).then((isReady) => {
      if (isReady) spares.refill();
    });
    return plane.host;
  }
  const host = new PlaneHost(socket);
  if (message.type === 'start') void startPlane(host, message.argv, spares === undefined);
  return host;
}

function whyRefused(message: Beginning, spares: Planes['spares']): string | undefined {
  if (message.type === 'start') return whyAlone(message.argv);
  return spares === undefined ? 'this process is that of an etcd' : whyAlone(message.flags);
}
