/**
 * The programs of the directory, as scripts for /bin/sh: what a suite asks of them before it starts one
 * (`--help`, `--version`) is answered without starting Node, which would take longer than all the rest.
 */
import { KUBERNETES_VERSION } from '../../routes/version.ts';
import { ETCD_HELP } from './etcd-flags.ts';
import { SNAPSHOT_HELP } from './snapshot-flags.ts';
import { ETCD_VERSION } from './stand-in-answers.ts';

/** How a program is run. */
export interface Runs {
  /** Absolute path of Node. */
  readonly node: string;
  /** Of the built server. */
  readonly dist: string;
  /** Where Node keeps compiled code from one start to the next; releases before 22 have no use for it. */
  readonly compileCache: string;
}

const END = 'END_OF_EVERWATCH';

/** @param help of `kube-apiserver`, as `--help` shows it. */
export function kubeApiserverProgram(runs: Runs, help: string): string {
  return program({ runs, script: 'envtest-kube-apiserver.cjs' }, [
    { asked: '--help|-h', text: help },
    { asked: '--version|--version=true', text: `Kubernetes ${KUBERNETES_VERSION}\n` },
  ]);
}

/** What stands in for etcd. */
export function etcdProgram(runs: Runs): string {
  return program({ runs, script: 'envtest-etcd.cjs' }, [
    { asked: '--help|-h', text: ETCD_HELP },
    { asked: '--version', text: `etcd Version: ${ETCD_VERSION}\nGo OS/Arch: ${platform()}\n` },
  ]);
}

/** What stands in for etcdctl and for etcdutl, which kwokctl runs for its snapshots. */
export function snapshotProgram(runs: Runs): string {
  return program({ runs, script: 'envtest-snapshot.cjs' }, [
    { asked: '--help|-h|help', text: SNAPSHOT_HELP },
    { asked: '--version|version', text: `etcdctl version: ${ETCD_VERSION}\nAPI version: 3.6\n` },
  ]);
}

/** Passes on to a kubectl elsewhere. */
export function kubectlProgram(path: string): string {
  return `#!/bin/sh\nexec ${quoted(path)} "$@"\n`;
}

/** Says how to get one. envtest asks of kubectl only that the file is there. */
export function missingKubectlProgram(directory: string): string {
  const text =
    "everwatch envtest: there was no kubectl on the PATH. Install one (https://kubernetes.io/docs/tasks/tools/), and run 'everwatch envtest' again, " +
    `or put it at ${directory}/kubectl.`;
  return `#!/bin/sh\necho ${quoted(text)} >&2\nexit 127\n`;
}

/** `linux/amd64`, as Go says it. */
export function platform(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return `${process.platform}/${architecture}`;
}

interface Answer {
  /** A pattern of `case`. */
  readonly asked: string;
  readonly text: string;
}

function program(run: { runs: Runs; script: string }, answers: readonly Answer[]): string {
  const { runs, script } = run;
  const cache = `export NODE_COMPILE_CACHE=${quoted(runs.compileCache)}`;
  const starting = `${cache}\nexec ${quoted(runs.node)} ${quoted(`${runs.dist}/${script}`)} "$@"`;
  // The shell reads on only where it needs to, so a start does not read the texts.
  const patterns = answers.map(({ asked }) => asked).join('|');
  const texts = answers.map(
    ({ asked, text }) => `case "$1" in ${asked}) cat <<'${END}'\n${text}${END}\n;; esac\n`,
  );
  return (
    '#!/bin/sh\n# Made by `everwatch envtest`, which writes it anew.\n' +
    `case "$1" in ${patterns}) ;; *) ${starting} ;; esac\n${texts.join('')}`
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
