/** The commands that move logs about: their flags and help. What they do is loaded when they run. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { StartupError } from '../../process/startup-error.ts';
import { MOMENT_HELP } from './moment-help.ts';
import { withSourceOptions, type SourceOptions } from '../log-source/source-options.ts';

/** Told the exit code of the command that ran. */
export type ExitWith = (code: number) => void;

type OutputFormat = 'table' | 'json';

export function transferCommands(exitWith: ExitWith): Command[] {
  return [
    exportCommand(exitWith),
    importCommand(exitWith),
    recordCommand(),
    replayCommand(exitWith),
  ];
}

interface ExportFlags extends SourceOptions {
  readonly output: string;
  readonly format: 'archive' | 'yaml' | 'audit' | 'simkube';
  readonly audit?: boolean;
  readonly simkube?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly at?: string;
  readonly namespace?: string;
}

function exportCommand(exitWith: ExitWith): Command {
  const command = new Command('export')
    .summary('a log, a part of it or a moment as a file')
    .description(
      'Write a log into an archive: all of it, a range that begins with the state at its\n' +
        'beginning, or one moment. Or write a moment as YAML for kubectl apply: without status,\n' +
        'owners and what only the server gives (resourceVersion, uid, times, managedFields). Or write\n' +
        'what was written in a range as events of audit.k8s.io/v1, one JSON object a line, as Kubernetes\n' +
        'History Inspector reads them: what a log knows, so without reads, refused requests, addresses,\n' +
        'groups and bodies of requests; of Secrets and ConfigMaps without their contents. Or write a range\n' +
        'as a trace of SimKube, of what has pods or of these kinds.',
    )
    .argument('[KIND...]', 'only these kinds, of one moment, as audit events or in a trace')
    .option('-o, --output <FILE>', 'where to; - for the standard output', '-')
    .addOption(
      new Option('--format <FORMAT>', 'archive, yaml, audit or simkube')
        .choices(['archive', 'yaml', 'audit', 'simkube'])
        .default('archive'),
    )
    .option('--audit', 'the writes of a range as audit events: short for --format audit')
    .option('--simkube', 'a range as a trace of SimKube: short for --format simkube')
    .option('--from <MOMENT>', 'the beginning of a range; of a time, what comes after it')
    .option('--to <MOMENT>', 'the end of a range')
    .option('--at <MOMENT>', 'one moment')
    .option('-n, --namespace <NAME>', 'only what lies in this namespace, as for KIND')
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch export --data-dir ./everwatch-data -o all.ewa\n' +
        '  everwatch export --from 2d -o two-days.ewa\n' +
        '  everwatch export --at 2026-11-20T10:00:00Z -o then.ewa\n' +
        '  everwatch export deploy cm -n shop --at 1h --format yaml -o shop.yaml\n' +
        '  everwatch export --audit --from 2h --to 1h -o audit.jsonl\n' +
        '  everwatch export --simkube --from 1d -o day.sktrace',
    );
  return withSourceOptions(command).action(async (words: string[], flags: ExportFlags) => {
    const kinds = words.flatMap((word) => word.split(','));
    const format = formatOf(flags);
    if (
      flags.output === '-' &&
      (format === 'archive' || format === 'simkube') &&
      process.stdout.isTTY
    ) {
      throw new StartupError(`an export as ${format} is nothing for a terminal: give -o FILE`);
    }
    const [{ runTool }, { exportLog }] = await Promise.all([
      import('./run-tool.ts'),
      import('../export/export.ts'),
    ]);
    const { output: file, from, to, at, namespace } = flags;
    exitWith(
      await runTool(flags, (tool) =>
        exportLog(tool, { file, format, from, to, at, kinds, namespace }),
      ),
    );
  });
}

/** @throws StartupError two formats are asked for. */
function formatOf({ format, audit, simkube }: ExportFlags): ExportFlags['format'] {
  if (audit === true && simkube === true) {
    throw new StartupError('--audit and --simkube are two formats: give one of them');
  }
  if (audit === true) return 'audit';
  return simkube === true ? 'simkube' : format;
}

interface ImportFlags {
  readonly dataDir?: string;
  readonly log?: string;
  readonly config?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: OutputFormat;
}

function importCommand(exitWith: ExitWith): Command {
  return new Command('import')
    .summary('an archive as a data directory, a topic or objects of a server')
    .description(
      'Read an archive, check all of it, and only then write it: into a new data directory or an\n' +
        'empty topic, where every record gets the version that it had; or, of a moment, its\n' +
        'objects into a running server. A trace of SimKube becomes a data directory too.',
    )
    .argument('<ARCHIVE>', 'a file that was exported, or a trace of SimKube')
    .option('--data-dir <DIR>', 'into this directory, which must be new or empty')
    .option('--log <URL>', 'into this topic, which must be empty: kafka://host:9092/topic')
    .addOption(configOption())
    .option('--kubeconfig <FILE>', 'into the server of this kubeconfig')
    .option('--context <NAME>', 'the context in the kubeconfig')
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  everwatch import all.ewa --data-dir ./restored\n' +
        '  everwatch import then.ewa --kubeconfig ~/.kube/config',
    )
    .action(async (archive: string, flags: ImportFlags) => {
      const { dataDir, log, config, kubeconfig, context, output } = flags;
      const { importArchive } = await import('../import/import.ts');
      exitWith(
        await importArchive(
          { archive, dataDir, log, config, kubeconfig, context, output },
          async (...topic) => (await import('../import/import-topic.ts')).fillTopic(...topic),
        ),
      );
    });
}

interface RecordFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly dataDir: string;
  readonly exclude?: readonly string[];
  readonly serve?: boolean;
  readonly securePort: string;
  readonly bindAddress: string;
  readonly output: OutputFormat;
}

function recordCommand(): Command {
  return new Command('record')
    .summary('the changes of any cluster as a log')
    .description(
      'Watch a cluster, any that speaks the Kubernetes API, and write its changes as a log, until\n' +
        'Ctrl-C. Started again on the same directory, it goes on where it stopped. Where the\n' +
        'cluster has forgotten what happened in between, the differences are recorded with the\n' +
        'verb relist, and the gap is noted in record-gaps.jsonl.',
    )
    .argument('[KIND...]', 'only these kinds, as in pods deployments.apps')
    .option('--kubeconfig <FILE>', 'of the cluster (default: $KUBECONFIG, or ~/.kube/config)')
    .option('--context <NAME>', 'the context in the kubeconfig')
    .requiredOption('--data-dir <DIR>', 'where the log is written; made when it is not there')
    .option('--exclude <KIND...>', 'not these kinds, as in events leases')
    .option('--serve', 'serve the log read-only while it is recorded')
    .option('--secure-port <PORT>', 'the port to serve on; 0 takes any free one', '6443')
    .option('--bind-address <IP>', 'the address to serve on', '127.0.0.1')
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nThe log is served read-only, with all its history, by --serve, or when the recorder has\n' +
        'stopped:\n' +
        '  everwatch serve --read-only --data-dir DIR\n' +
        '\nExamples:\n' +
        '  everwatch record --kubeconfig prod.kubeconfig --data-dir ./prod --exclude events leases\n' +
        '  everwatch record deployments pods --data-dir ./workloads',
    )
    .action(async (words: string[], flags: RecordFlags) => {
      const kinds = words.flatMap((word) => word.split(','));
      const { kubeconfig, context, dataDir, exclude = [], output, securePort, bindAddress } = flags;
      const serve = flags.serve === true ? { securePort, bindAddress } : undefined;
      const { record } = await import('../record/record.ts');
      await record({ kubeconfig, context, dataDir, kinds, exclude, output, serve });
    });
}

interface ReplayFlags {
  readonly to?: string;
  readonly context?: string;
  readonly serve?: boolean;
  readonly securePort: string;
  readonly bindAddress: string;
  readonly speed: number;
  readonly step?: boolean;
  readonly wait?: boolean;
  readonly from?: string;
  readonly until?: string;
  readonly strict?: boolean;
  readonly config?: string;
  readonly output: OutputFormat;
}

function replayCommand(exitWith: ExitWith): Command {
  return new Command('replay')
    .summary('play a log as it happened, to a server or as one')
    .description(
      'Play a log with the pauses that were between its records: to a running server, where every\n' +
        'change is made again, or as a server of its own, read-only, whose clients see everything\n' +
        'come again.',
    )
    .argument(
      '<LOG>',
      'a data directory, an archive, a trace of SimKube, a kubeconfig, a kafka:// URL, or\n' +
        'the name of a test that had a control plane of `everwatch envtest`',
    )
    .option('--to <KUBECONFIG>', 'play to the server of this kubeconfig')
    .option('--context <NAME>', 'the context in that kubeconfig')
    .option('--serve', 'play as a server')
    .option('--secure-port <PORT>', 'the port to serve on; 0 takes any free one', '6443')
    .option('--bind-address <IP>', 'the address to serve on', '127.0.0.1')
    .addOption(
      new Option('--speed <N>', 'how much faster than it was: 1, 60, 0.5, or max')
        .argParser(parseSpeed)
        .default(1),
    )
    .option('--step', 'wait for Enter before each record')
    .option('--wait', 'with --serve: begin a second after clients have begun to watch')
    .option('--from <MOMENT>', 'begin here; what was there at that moment is there at once')
    .option('--until <MOMENT>', 'end here')
    .addOption(configOption())
    .option('--strict', 'with --to: end at the first change that the server refuses')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch replay ./everwatch-data --serve --speed 60\n' +
        '  everwatch replay incident.ewa --to test.kubeconfig --speed max --until 4711\n' +
        '  everwatch replay TestController/deletes --serve --wait',
    )
    .action(async (log: string, flags: ReplayFlags) => {
      exitWith(await runReplay(log, flags));
    });
}

async function runReplay(log: string, flags: ReplayFlags): Promise<number> {
  const { to, context, speed, from, until, output, securePort, bindAddress } = flags;
  if ((to === undefined) === (flags.serve !== true)) {
    throw new StartupError('say where to: either --to KUBECONFIG or --serve');
  }
  const waits = flags.wait === true;
  if (waits && to !== undefined) throw new StartupError('--wait goes with --serve only');
  const [{ replay }, { playedLog }] = await Promise.all([
    import('../replay/replay.ts'),
    import('../replay/played-log.ts'),
  ]);
  const { config } = flags;
  const played = playedLog({ log, from, until }, process.env);
  const options = { ...played.range, config, speed, isStepped: flags.step === true };
  return replay(options, async (signal, say) => {
    if (played.notice !== undefined) say(played.notice);
    if (to === undefined) {
      const { servedStage } = await import('../replay/replay-served.ts');
      return servedStage({ securePort, bindAddress, waits }, signal, say);
    }
    const { serverStage } = await import('../replay/replay-to-server.ts');
    const isStrict = flags.strict === true;
    return serverStage({ file: to, context, isStrict, output }, signal, say);
  });
}

function parseSpeed(text: string): number {
  const speed = text === 'max' ? Infinity : Number(text);
  if (text !== '' && speed > 0) return speed;
  throw new InvalidArgumentError('It is a number above 0, or max.');
}

function configOption(): Option {
  const help = "with a topic: a server's configuration file, for the keys kafka…";
  return new Option('--config <FILE>', help);
}

function outputOption(): Option {
  return new Option('-o, --output <FORMAT>', 'how the summary is printed: table or json')
    .choices(['table', 'json'])
    .default('table');
}
