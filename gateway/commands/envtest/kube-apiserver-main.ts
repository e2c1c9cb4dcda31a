/** Where the process of the `kube-apiserver` of `everwatch envtest` begins. */
import { runProcess } from '../run-process.ts';
import { StartupError } from '../../process/startup-error.ts';
import { flagsBeside } from './flags-beside-etcd.ts';

const argv = process.argv.slice(2);
try {
  const own = await flagsBeside(argv, process.env);
  await runProcess([...own, ...argv], 'kube-apiserver');
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`everwatch: ${error.message}\n`);
  process.exitCode = 1;
}
