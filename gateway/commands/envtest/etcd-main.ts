/** Where the process of the `etcd` of `everwatch envtest` begins. */
import { standInForEtcd } from './etcd-stand-in.ts';
import { StartupError } from '../../process/startup-error.ts';
import { isShared, meetingPlace } from './shared/meeting-place.ts';
import { prepareShared } from './shared/stand-in.ts';

try {
  await standInForEtcd(process.argv.slice(2), process.env);
  if (isShared(process.env)) await prepared();
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`etcd: ${error.message}\n`);
  process.exitCode = 1;
}

/** By the time that kube-apiserver is started, the process that it shares is on its way. */
async function prepared(): Promise<void> {
  const dist = import.meta.dirname;
  let place;
  try {
    place = meetingPlace(process.env, dist);
  } catch (error) {
    // kube-apiserver says it, and does without.
    if (error instanceof StartupError) return;
    throw error;
  }
  await prepareShared(place, dist);
}
