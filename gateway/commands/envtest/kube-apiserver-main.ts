/** Where the process of the `kube-apiserver` of `everwatch envtest` begins. */
import { loadProgram } from '../load-program.ts';
import { StartupError } from '../../process/startup-error.ts';
import { type Beside, flagsBeside } from './flags-beside-etcd.ts';
import { followLifeline } from './lifeline.ts';
import { meetingPlace, type MeetingPlace, placeOfEtcd, sharingIn } from './shared/meeting-place.ts';
import { greetedAt, meetShared, type Meeting, standInFor } from './shared/stand-in.ts';

/** In place of flags: starts the process that suites share, where there is none, and prints the path of its socket. */
const PLANES = 'planes';
const argv = process.argv.slice(2);
const dist = import.meta.dirname;
followLifeline(process);
void main();

async function main(): Promise<void> {
  try {
    if (argv.length === 1 && argv[0] === PLANES) {
      await printPlanes();
      return;
    }
    const sharing = sharingIn(process.env);
    if (sharing === 'alone') await runAlone(flagsBeside(argv, process.env));
    if (sharing === 'shared') await runInShared();
    if (sharing === 'etcd') await runInEtcd();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    process.stderr.write(`everwatch: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** @throws StartupError where there is no such process to be had. */
async function printPlanes(): Promise<void> {
  const place = meetingPlace(process.env, dist);
  const met = await meetShared({ place, dist, isPrepared: false });
  if (met === undefined) {
    throw new StartupError(`no process to share could be started (see ${place.log})`);
  }
  met.socket.destroy();
  process.stdout.write(`${place.socket}\n`);
}

async function runAlone(asked: Promise<Beside>): Promise<void> {
  // While etcd answers, the program is loaded.
  const [{ flags }, { runProcess }] = await Promise.all([asked, loaded()]);
  await runProcess([...flags, ...argv], 'kube-apiserver');
}

/** Behind the turn in which it is asked for, so that the question to etcd is on its way. */
async function loaded(): Promise<ReturnType<typeof loadProgram>> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return loadProgram(dist);
}

async function runInShared(): Promise<void> {
  const beside = await flagsBeside(argv, process.env);
  let place: MeetingPlace;
  try {
    place = meetingPlace(process.env, dist);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    tellAlone(error.message);
    return runAlone(Promise.resolve(beside));
  }
  const { log } = place;
  const isPrepared = beside.dataDirectory !== undefined;
  const met = await meetShared({ place, dist, isPrepared });
  if (met === undefined) {
    tellAlone(`no process to share could be started (see ${log})`);
    return runAlone(Promise.resolve(beside));
  }
  const why = await runAt(
    met,
    beside,
    `the process that control planes share has ended (see ${log})`,
  );
  if (why === undefined) return;
  tellAlone(why);
  return runAlone(Promise.resolve(beside));
}

/** The etcd of the suite has the server loaded; what wants a process of its own gets it without a word. */
async function runInEtcd(): Promise<void> {
  const beside = await flagsBeside(argv, process.env);
  const met = await metEtcd(beside);
  const isAlone =
    met === undefined ||
    (await runAt(met, beside, 'its etcd has ended, in whose process it was')) !== undefined;
  if (isAlone) await runAlone(Promise.resolve(beside));
}

/** undefined: there is no etcd of this suite, or it is not of this build and environment. */
async function metEtcd({ dataDirectory }: Beside): Promise<Meeting | undefined> {
  if (dataDirectory === undefined) return undefined;
  try {
    return await greetedAt(placeOfEtcd(dataDirectory, process.env, dist).socket);
  } catch (error) {
    if (error instanceof StartupError) return undefined;
    throw error;
  }
}

/**
 * Settles when the control plane has ended.
 *
 * @returns why it has to have a process of its own; undefined: it was.
 * @throws StartupError with `broken`, where the process has ended that had it.
 */
async function runAt(met: Meeting, beside: Beside, broken: string): Promise<string | undefined> {
  const outcome = await standInFor(met, {
    argv: [...beside.flags, ...argv],
    signals: process,
    say: (stream, text) => void process[stream === 'info' ? 'stdout' : 'stderr'].write(text),
  });
  if (outcome.kind === 'broken') throw new StartupError(broken);
  if (outcome.kind === 'alone') return outcome.why;
  process.exitCode = outcome.code;
  return undefined;
}

function tellAlone(why: string): void {
  process.stderr.write(`everwatch: this control plane has a process of its own: ${why}\n`);
}
