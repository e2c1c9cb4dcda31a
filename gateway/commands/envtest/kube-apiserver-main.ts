/** Where the process of the `kube-apiserver` of `everwatch envtest` begins. */
import { loadProgram } from '../load-program.ts';
import { StartupError } from '../../process/startup-error.ts';
import { flagsBeside } from './flags-beside-etcd.ts';
import { isShared, meetingPlace } from './shared/meeting-place.ts';
import { standInFor } from './shared/stand-in.ts';

const argv = process.argv.slice(2);
const dist = import.meta.dirname;
try {
  if (!(isShared(process.env) && (await isInShared()))) await runAlone();
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`everwatch: ${error.message}\n`);
  process.exitCode = 1;
}

async function runAlone(): Promise<void> {
  // While etcd answers, the program is loaded.
  const asked = flagsBeside(argv, process.env);
  const [own, { runProcess }] = await Promise.all([asked, loaded()]);
  await runProcess([...own, ...argv], 'kube-apiserver');
}

/** Behind the turn in which it is asked for, so that the question to etcd is on its way. */
async function loaded(): Promise<ReturnType<typeof loadProgram>> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return loadProgram(dist);
}

/** Whether it was, and has ended. */
async function isInShared(): Promise<boolean> {
  let place;
  try {
    place = meetingPlace(process.env, dist);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    tellAlone(error.message);
    return false;
  }
  const own = await flagsBeside(argv, process.env);
  const outcome = await standInFor({
    ...{ place, dist, argv: [...own, ...argv], signals: process },
    isPrepared: argv.some((word) => word.startsWith('--etcd-servers')),
    say: (stream, text) => void process[stream === 'info' ? 'stdout' : 'stderr'].write(text),
  });
  if (outcome.kind === 'alone') {
    tellAlone(outcome.why);
    return false;
  }
  if (outcome.kind === 'broken') {
    throw new StartupError(`the process that control planes share has ended (see ${place.log})`);
  }
  process.exitCode = outcome.code;
  return true;
}

function tellAlone(why: string): void {
  process.stderr.write(`everwatch: this control plane has a process of its own: ${why}\n`);
}
