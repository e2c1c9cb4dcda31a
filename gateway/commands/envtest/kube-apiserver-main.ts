/** Where the process of the `kube-apiserver` of `everwatch envtest` begins. */
import { loadProgram } from '../load-program.ts';
import { StartupError } from '../../process/startup-error.ts';
import { flagsBeside } from './flags-beside-etcd.ts';

const argv = process.argv.slice(2);
try {
  // While etcd answers, the program is loaded.
  const asked = flagsBeside(argv, process.env);
  const [own, { runProcess }] = await Promise.all([asked, loaded()]);
  await runProcess([...own, ...argv], 'kube-apiserver');
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`everwatch: ${error.message}\n`);
  process.exitCode = 1;
}

/** Behind the turn in which it is asked for, so that the question to etcd is on its way. */
async function loaded(): Promise<ReturnType<typeof loadProgram>> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return loadProgram(import.meta.dirname);
}
