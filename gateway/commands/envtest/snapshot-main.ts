/** Where the process of the `etcdctl` and the `etcdutl` of `everwatch envtest` begins. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartupError } from '../../process/startup-error.ts';
import { loadProgram } from '../load-program.ts';
import { toldByEtcd } from './ask-etcd.ts';
import { logDirectory, PREFIX_DEFAULT } from './log-directory.ts';
import { parseSnapshotCommand } from './snapshot-flags.ts';

const ONLY_OWNER = 0o700;
void main();

async function main(): Promise<void> {
  try {
    const { runProcess } = loadProgram(import.meta.dirname);
    await runProcess(await commandOf(process.argv.slice(2)), 'everwatch');
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    process.stderr.write(`etcdctl: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Of the everwatch that does it. */
async function commandOf(argv: readonly string[]): Promise<readonly string[]> {
  const asked = parseSnapshotCommand(argv, process.env);
  if (asked.type === 'save') {
    const { directory } = await toldByEtcd({
      ...{ flag: '--endpoints', server: asked.etcd, isAwaited: false },
    });
    const log = logDirectory(directory, PREFIX_DEFAULT);
    // Which a running server has for itself.
    return ['export', `--kubeconfig=${join(log, 'admin.kubeconfig')}`, `--output=${asked.file}`];
  }
  const log = logDirectory(asked.dataDirectory, PREFIX_DEFAULT);
  mkdirSync(dirname(log), { recursive: true, mode: ONLY_OWNER });
  return ['import', `--data-dir=${log}`, asked.file];
}
