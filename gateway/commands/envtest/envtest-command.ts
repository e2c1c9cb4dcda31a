/** `everwatch envtest`: its flags and its help. What it does is loaded when it runs. */
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { StartupError } from '../../process/startup-error.ts';
import { KUBERNETES_VERSION } from '../../routes/version.ts';

interface EnvtestOptions {
  readonly dir?: string;
  readonly kubectl?: string;
  readonly archive?: string;
  readonly baseUrl?: string;
}

interface EnvtestParts {
  /** Of `kube-apiserver --help`. */
  readonly serveHelp: () => string;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

/** @param parts where it says what it made, and the help of the server. */
export function envtestCommand(parts: EnvtestParts): Command {
  return new Command('envtest')
    .summary("the control plane of operators' tests: a directory for KUBEBUILDER_ASSETS")
    .description(
      `Make a directory with kube-apiserver (${KUBERNETES_VERSION}), etcd and kubectl, as envtest of\n` +
        'controller-runtime, setup-envtest and kwokctl want them, and print its path. Nothing is\n' +
        'downloaded. Each control plane keeps its log in the data directory of its etcd.',
    )
    .option('--dir <DIR>', "where (default: in the user's cache)")
    .option('--kubectl <FILE>', 'a kubectl (default: the first one on the PATH)')
    .option(
      '--archive <DIR>',
      "write an archive for 'setup-envtest sideload' into DIR, and print its path instead",
    )
    .option(
      '--base-url <URL>',
      "with --archive: write an index beside it, for 'setup-envtest use --index URL/envtest-releases.yaml'",
    )
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nControllers of this server (garbage collection, the end of namespaces and so on) do not run\n' +
        "there, as with envtest. EVERWATCH_CONTROLLERS switches them on when the tests run: '*' for all,\n" +
        "or names as in 'everwatch serve --controllers'.\n" +
        'EVERWATCH_ENVTEST=shared lets all suites share one process, in which each control plane is one of\n' +
        'its own.\n' +
        'EVERWATCH_ENVTEST_LOGS=DIR keeps the logs of the last 20 control planes in DIR, for\n' +
        "'everwatch tail', 'history' and 'replay' after a test has failed.\n" +
        '\nExamples:\n' +
        '  export KUBEBUILDER_ASSETS="$(everwatch envtest)"\n' +
        '  go test ./...\n' +
        "  EVERWATCH_CONTROLLERS='*' go test ./...",
    )
    .action(async (options: EnvtestOptions) => {
      await make(options, parts);
    });
}

async function make(options: EnvtestOptions, parts: EnvtestParts): Promise<void> {
  const { dir, archive, baseUrl } = options;
  if (baseUrl !== undefined && archive === undefined) {
    throw new StartupError('--base-url: it needs --archive');
  }
  const [made, { writeArchive }] = await Promise.all([
    import('./make-directory.ts'),
    import('./write-archive.ts'),
  ]);
  // Called by a link of npm, the program has another path than its files.
  const place = { node: process.execPath, dist: import.meta.dirname };
  const compileCache = join(made.cacheOf(process.env), 'compiled');
  const runs = { ...place, compileCache };
  const directory = resolve(dir ?? made.directoryByDefault(runs, process.env));
  const kubectl = options.kubectl ?? made.kubectlOn(process.env, directory);
  if (kubectl === undefined) {
    parts.printError('everwatch: there is no kubectl on the PATH; envtest works without one\n');
  }
  const content = { runs, help: parts.serveHelp(), kubectl: kubectl && resolve(kubectl) };
  if (archive !== undefined) {
    parts.print(`${writeArchive(resolve(archive), baseUrl, content)}\n`);
    return;
  }
  made.makeDirectory(directory, content);
  parts.print(`${directory}\n`);
}
