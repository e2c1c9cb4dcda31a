/** Where the process of the `etcd` of `everwatch envtest` begins. */
import { standInForEtcd } from './etcd-stand-in.ts';
import { StartupError } from '../../process/startup-error.ts';

try {
  await standInForEtcd(process.argv.slice(2), process.env);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`etcd: ${error.message}\n`);
  process.exitCode = 1;
}
