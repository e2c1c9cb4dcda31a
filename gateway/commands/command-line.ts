/**
 * The commands of `everwatch`. What a command needs is loaded when it runs, so that `--help`
 * and `version` are quick.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { KUBERNETES_VERSION, PRODUCT_VERSION, versionInfo } from '../routes/version.ts';
import { refuseArguments, serveCommand, serveOptionsOf } from '../flags/flags.ts';
import { dashboardCommand } from './dashboard/dashboard-command.ts';
import { envtestCommand } from './envtest/envtest-command.ts';
import { forkCommands } from './fork/fork-commands.ts';
import { configKeyOf, type ServeOptions } from '../flags/serve-settings.ts';
import { deprecationLines } from '../flags/taken-flags.ts';
import { goBoolean } from '../flags/upstream-flags.ts';
import { StartupError } from '../process/startup-error.ts';
import { sourcePlace, withSourceOptions, type SourceOptions } from './log-source/source-options.ts';
import { MOMENT_HELP } from './tool/moment-help.ts';
import { toolCommands } from './tool/tool-commands.ts';
import { transferCommands } from './tool/transfer-commands.ts';

/** What commands do, and where they say it. */
export interface CommandLineParts {
  /** Settles when the server is ready; it goes on running. */
  readonly serve: (options: ServeOptions) => Promise<unknown>;
  /** Whether store and log say the same. */
  readonly verify: (options: { readonly dataDir: string }) => Promise<boolean>;
  /** The name of the file by which the program was called; `everwatch` by default. */
  readonly calledAs?: string;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

const DATA_DIR_DEFAULT = './everwatch-data';

/** Runs one command and gives the exit code. `given` is without node and script. */
export async function runCommandLine(
  given: readonly string[],
  parts: CommandLineParts,
): Promise<number> {
  const outcome = { code: 0 };
  try {
    const argv = asCommand(given, parts.calledAs ?? '');
    await commandsOf(parts, outcome).parseAsync(argv, { from: 'user' });
    return outcome.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    parts.printError(`everwatch: ${messageOf(error)}\n`);
    return 1;
  }
}

/**
 * Called `kube-apiserver`, as manifests do, the program is that command: its flags are those of `serve`,
 * and it listens on all addresses unless it is told otherwise.
 */
function asCommand(argv: readonly string[], calledAs: string): string[] {
  if (calledAs !== 'kube-apiserver') return [...argv];
  return ['serve', '--bind-address=0.0.0.0', ...argv];
}

/** One line for what the user can put right; everything for what only we can. */
function messageOf(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `this should not have happened: ${whole}`;
}

/** Commander's actions give nothing back, so a command leaves its exit code here. */
interface CommandOutcome {
  code: number;
}

/** `everwatch` with all of its commands. */
export function commandsOf(parts: CommandLineParts, outcome: CommandOutcome): Command {
  const program = new Command('everwatch')
    .description('A Kubernetes API server whose database is an event log.')
    .helpCommand('help [command]', 'show what a command does and its flags')
    .addHelpText(
      'after',
      '\nTo begin:\n' +
        '  everwatch serve\n' +
        '  export KUBECONFIG=$PWD/everwatch-data/admin.kubeconfig   # in another terminal\n' +
        '  kubectl get namespaces',
    );
  program.addCommand(serve(parts)).addCommand(verify(parts, outcome));
  const exitWith = (code: number): void => {
    outcome.code = code;
  };
  for (const command of toolCommands(exitWith)) program.addCommand(command);
  for (const command of transferCommands(exitWith)) program.addCommand(command);
  for (const command of forkCommands()) program.addCommand(command);
  program.addCommand(dashboardCommand(parts.print));
  const serveHelp = (): string => serveCommand().name('kube-apiserver').helpInformation();
  program.addCommand(envtestCommand({ ...parts, serveHelp }));
  program.addCommand(kubeconfig(parts)).addCommand(version(parts));
  for (const command of withCommandsInside(program)) {
    // As one paragraph, so that lines end where those of the terminal do.
    const commandDescription = (one: Command): string => one.description().replaceAll('\n', ' ');
    command.configureHelp({ ...command.configureHelp(), commandDescription });
    command.exitOverride().configureOutput({ writeOut: parts.print, writeErr: parts.printError });
  }
  return program;
}

function withCommandsInside(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withCommandsInside)];
}

function serve(parts: CommandLineParts): Command {
  return serveCommand().action(
    async (flags: Readonly<Record<string, unknown>>, command: Command) => {
      refuseArguments(command);
      const isGiven = (flag: string): boolean => flags[configKeyOf(flag)] !== undefined;
      for (const line of deprecationLines({ isGiven })) parts.printError(`${line}\n`);
      const shown = shownVersion(flags['version']);
      if (shown !== undefined) return parts.print(shown);
      await parts.serve(serveOptionsOf(flags, (path) => readFileSync(path, 'utf8')));
    },
  );
}

/** @returns what `--version` prints; undefined where it asks for nothing. */
function shownVersion(said: unknown): string | undefined {
  if (said === 'raw') return `${goVersionInfo()}\n`;
  const isAsked = said === true || goBoolean(String(said)) === true;
  return isAsked ? `Kubernetes ${KUBERNETES_VERSION}\n` : undefined;
}

/** As Go shows a struct of it. */
function goVersionInfo(): string {
  const fields = Object.entries(versionInfo()).map(([name, value]) => {
    return `${name.charAt(0).toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`;
  });
  return `version.Info{${fields.join(', ')}}`;
}

function verify(parts: CommandLineParts, outcome: CommandOutcome): Command {
  const command = new Command('verify')
    .summary('check the store against the log')
    .description(
      'Fold the whole log again and compare the outcome: with the store of a data directory\n' +
        `(default: ${DATA_DIR_DEFAULT}), or with what a running server or a replica of a topic says.`,
    )
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  everwatch verify --data-dir /var/lib/everwatch\n' +
        '  everwatch verify --kubeconfig admin.kubeconfig',
    );
  return withSourceOptions(command).action(async (options: SourceOptions) => {
    const { kubeconfig: file, context, log, fork } = options;
    const isElsewhere = [file, context, log, fork].some((one) => one !== undefined);
    if (isElsewhere && sourcePlace(options).kind !== 'directory') {
      const [{ runTool }, { verifySource }] = await Promise.all([
        import('./tool/run-tool.ts'),
        import('./verify/verify-command.ts'),
      ]);
      outcome.code = await runTool(options, verifySource);
      return;
    }
    outcome.code = (await parts.verify({ dataDir: options.dataDir ?? DATA_DIR_DEFAULT })) ? 0 : 1;
  });
}

function kubeconfig(parts: CommandLineParts): Command {
  return new Command('kubeconfig')
    .summary('print a kubeconfig: of the administrator, of the past, of a fork')
    .description(
      "Print the administrator's kubeconfig that the server wrote. Or, with --at or --fork, the kubeconfig in\n" +
        'use as one of the past or of a fork: the same user, and a server that is read as of then. Any client\n' +
        'takes it, dashboards and informers too.',
    )
    .option('--data-dir <DIR>', `the data directory of the server (default: ${DATA_DIR_DEFAULT})`)
    .option('--at <MOMENT>', 'as of this moment')
    .option('--still', 'with --at: watches stay at the moment, and do not go on to the present')
    .option('--fork <NAME>', 'of this fork')
    .option('--kubeconfig <FILE>', 'with --at or --fork: the one in use (default: as of kubectl)')
    .option('--context <NAME>', 'with --at or --fork: the context in it')
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch kubeconfig --at 2h > then.kubeconfig && kubectl --kubeconfig then.kubeconfig get pods -A\n' +
        '  everwatch kubeconfig --at 2h --still > then.kubeconfig && k9s --kubeconfig then.kubeconfig\n' +
        '  everwatch kubeconfig --at 4711 --fork try --data-dir ./everwatch-data',
    )
    .action(async (flags: KubeconfigFlags) => {
      const { dataDir, at, fork, kubeconfig: given, context, still: isStill = false } = flags;
      const { kubeconfigPath, readKubeconfig } = await import('./kubeconfig/kubeconfig.ts');
      const isOfPlane = at !== undefined || fork !== undefined || isStill;
      if (!isOfPlane && (given ?? context) !== undefined) {
        throw new StartupError('say of what: --at MOMENT, --fork NAME, or both');
      }
      if (!isOfPlane) return parts.print(await readKubeconfig(dataDir ?? DATA_DIR_DEFAULT));
      const { planeKubeconfig } = await import('./kubeconfig/plane-kubeconfig.ts');
      const file = given ?? (dataDir === undefined ? undefined : kubeconfigPath(dataDir));
      parts.print(await planeKubeconfig({ file, context, at, fork, isStill }));
    });
}

interface KubeconfigFlags {
  readonly dataDir?: string;
  readonly at?: string;
  readonly still?: boolean;
  readonly fork?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

function version(parts: CommandLineParts): Command {
  return new Command('version')
    .summary('print the version')
    .description('Print the version, and which Kubernetes it speaks.')
    .allowExcessArguments(false)
    .action(() => {
      parts.print(`everwatch ${PRODUCT_VERSION} (Kubernetes ${KUBERNETES_VERSION})\n`);
    });
}
