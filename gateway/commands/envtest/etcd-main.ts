/**
 * Where the process of the `etcd` of `everwatch envtest` begins. A suite starts it first, and waits for it, so it is the
 * one that loads the server and has the control plane of the kube-apiserver beside it, unless all suites share one
 * process: while that kube-apiserver starts, and while the suite waits to ask again, the server is loaded.
 */
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { loadProgram } from '../load-program.ts';
import { StartupError } from '../../process/startup-error.ts';
import { standInForEtcd } from './etcd-stand-in.ts';
import { listenAt } from './shared/listen-at.ts';
import { meetingPlace, type MeetingPlace, placeOfEtcd, sharingIn } from './shared/meeting-place.ts';
import { prepareShared } from './shared/stand-in.ts';

/** A suite looks every 100 ms whether an etcd answers; to load all in one turn would let it wait for another 100. */
const LOOK_MS = 100;

const dist = import.meta.dirname;
let hasPlanes = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // Control planes end first, and then the process (serve-planes.ts).
    if (!hasPlanes) process.exit(0);
  });
}
void main();

async function main(): Promise<void> {
  try {
    const { directory, isAsked } = await standInForEtcd(process.argv.slice(2), process.env);
    const sharing = sharingIn(process.env);
    if (sharing === 'shared') {
      const place = placeWhere(() => meetingPlace(process.env, dist));
      if (place !== undefined) await prepareShared(place, dist);
    }
    if (sharing === 'etcd') {
      const place = placeWhere(() => placeOfEtcd(directory, process.env, dist));
      if (place !== undefined) await servePlanesAt(place, isAsked);
    }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    process.stderr.write(`etcd: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** undefined: there is none to be had. Kube-apiserver does without, and says why where it was asked for. */
function placeWhere(make: () => MeetingPlace): MeetingPlace | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof StartupError) return undefined;
    throw error;
  }
}

async function servePlanesAt(place: MeetingPlace, isAsked: Promise<void>): Promise<void> {
  const server = createServer();
  const early: Socket[] = [];
  const keep = (socket: Socket): void => {
    socket.on('error', () => undefined);
    early.push(socket);
  };
  server.on('connection', keep);
  // Before anything can ask where the directory is; what comes while the program is loaded waits.
  await listenAt(server, place.socket);
  const program = loadProgram(dist);
  await Promise.race([isAsked, pause(LOOK_MS, undefined, { ref: false })]);
  hasPlanes = true;
  server.off('connection', keep);
  await program.servePlanes({ server, idleMs: undefined, directory: undefined });
  for (const socket of early) server.emit('connection', socket);
}
