/**
 * The commands that look at a log: their flags and their help. What a command does is loaded when
 * it runs, so that `serve` and `--help` stay quick.
 */
import { Command, Option } from 'commander';
import { MOMENT_HELP } from './moment-help.ts';
import { withSourceOptions, type SourceOptions } from '../log-source/source-options.ts';
import type { BlameOptions } from '../blame/blame-command.ts';
import type { DiffOptions } from '../diff/diff-command.ts';
import type { HistoryOptions } from '../history/history-command.ts';
import type { ShredOptions } from '../shred/shred-command.ts';
import type { StatusOptions } from '../status/status-command.ts';
import type { TailOptions } from '../tail/tail-command.ts';
import type { Tool } from './run-tool.ts';

/** Told the exit code of the command that ran. */
export type ExitWith = (code: number) => void;

type Run<Options> = (tool: Tool, words: readonly string[], options: Options) => Promise<number>;

export function toolCommands(exitWith: ExitWith): Command[] {
  return [
    historyCommand(exitWith),
    blameCommand(exitWith),
    diffCommand(exitWith),
    tailCommand(exitWith),
    shredCommand(exitWith),
    statusCommand(exitWith),
  ];
}

/** Opens what the options name, runs the command on it, and closes it again. */
async function run<Options>(
  load: () => Promise<Run<Options>>,
  {
    words,
    options,
  }: { readonly words: readonly string[]; readonly options: SourceOptions & Options },
): Promise<number> {
  const [{ runTool }, body] = await Promise.all([import('./run-tool.ts'), load()]);
  return runTool(options, (tool) => body(tool, words, options));
}

function historyCommand(exitWith: ExitWith): Command {
  const command = new Command('history')
    .summary('every revision of an object: when it changed, by which user, and what')
    .description(
      'Show every revision of an object: when it was made, by whom and what it changed. Objects\n' +
        'that were deleted are shown too, and created again under the same name.',
    )
    .argument('<KIND/NAME...>', 'the object, as in deployment/web')
    .addOption(namespaceOption())
    .addOption(outputOption('table, json, jsonl or yaml', 'table'))
    .option('--diff', 'show what each revision changed')
    .option('--since <MOMENT>', 'only revisions after that moment')
    .addOption(
      new Option('--from <MOMENT>', 'the same as --since; of a version, with it').conflicts(
        'since',
      ),
    )
    .option('--to <MOMENT>', 'only revisions until that moment')
    .option('--show-secrets', 'show the values of Secrets, not only how long they are')
    .option('--show-managed-fields', 'show metadata.managedFields too')
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch history deployment/web -n shop\n' +
        '  everwatch history deploy/web -n shop --since 1h --diff\n' +
        '  everwatch history node/worker-1 -o jsonl --data-dir ./everwatch-data',
    );
  return withSourceOptions(command).action(
    async (words: string[], options: HistoryOptions & SourceOptions) => {
      const load = async () => (await import('../history/history-command.ts')).history;
      exitWith(await run<HistoryOptions>(load, { words, options }));
    },
  );
}

function blameCommand(exitWith: ExitWith): Command {
  const command = new Command('blame')
    .summary('which user gave each field of an object its value')
    .description(
      'Show an object as YAML, and beside each line the revision, the time, the user and the field\n' +
        'manager that gave the field the value it has. With -o json, jsonl or yaml: a list of fields.',
    )
    .argument('<KIND/NAME...>', 'the object, as in deployment/web')
    .addOption(namespaceOption())
    .addOption(outputOption('table, json, jsonl or yaml', 'table'))
    .option('--at <MOMENT>', 'the object as it was at that moment')
    .option('--show-secrets', 'show the values of Secrets, not only how long they are')
    .option('--show-managed-fields', 'show metadata.managedFields too')
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch blame deployment/web -n shop\n' +
        '  everwatch blame configmap/settings --at 2d',
    );
  return withSourceOptions(command).action(
    async (words: string[], options: BlameOptions & SourceOptions) => {
      const load = async () => (await import('../blame/blame-command.ts')).showBlame;
      exitWith(await run<BlameOptions>(load, { words, options }));
    },
  );
}

function diffCommand(exitWith: ExitWith): Command {
  const command = new Command('diff')
    .summary('what changed in the whole control plane between two moments')
    .description(
      'Show which objects were added, removed and changed between two moments, in the whole control\n' +
        'plane or of some kinds. metadata.managedFields are left out of tables and diffs.',
    )
    .argument('[KIND...]', 'only these, as in deployments configmaps')
    .requiredOption('--from <MOMENT>', 'the first moment')
    .option('--to <MOMENT>', 'the second moment', 'now')
    .addOption(namespaceOption('only of this namespace'))
    .addOption(outputOption('table, json, jsonl or yaml', 'table'))
    .option('--diff', 'show the whole of what changed')
    .option('--ignore-status', 'leave status out')
    .option(
      '--ignore-managed-fields',
      'leave metadata.managedFields out of json, jsonl and yaml too',
    )
    .option('--show-secrets', 'show the values of Secrets, not only how long they are')
    .option('--exit-code', 'end with 1 when anything is different')
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch diff --from 1h\n' +
        '  everwatch diff --from 1200 --to 1300 deployments -n shop --diff\n' +
        '  everwatch diff --from 2026-11-20T18:00:00Z --ignore-status -o jsonl',
    );
  return withSourceOptions(command).action(
    async (words: string[], options: DiffOptions & SourceOptions) => {
      const load = async () => (await import('../diff/diff-command.ts')).diff;
      exitWith(await run<DiffOptions>(load, { words, options }));
    },
  );
}

function tailCommand(exitWith: ExitWith): Command {
  const command = new Command('tail')
    .summary('what happens, as it happens')
    .description(
      'Show the events that take effect as they come, one line of JSON each (docs/event-format.md).\n' +
        'When the server goes away it is waited for, and nothing is lost or shown twice.',
    )
    .argument('[KIND...]', 'only these, as in pods deployments')
    .option('--from <MOMENT>', 'begin at that moment instead of now')
    .option('--to <MOMENT>', 'end at that moment')
    .option('--no-follow', 'end at the end of the log')
    .addOption(namespaceOption('only of this namespace'))
    .option('-l, --selector <SELECTOR>', 'only objects with these labels, as in app=web,tier!=db')
    .option('--all', 'show too what changed nothing: overtaken events, duplicates and markers')
    .addOption(outputOption('jsonl, table or yaml', 'jsonl'))
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch tail -o table\n' +
        "  everwatch tail pods -n shop | jq -r '[.time, .user, .verb, .name] | @tsv'\n" +
        '  everwatch tail --from 0 --no-follow --all > log.jsonl',
    );
  return withSourceOptions(command).action(
    async (words: string[], options: TailOptions & SourceOptions) => {
      const load = async () => (await import('../tail/tail-command.ts')).tail;
      exitWith(await run<TailOptions>(load, { words, options }));
    },
  );
}

function shredCommand(exitWith: ExitWith): Command {
  const command = new Command('shred')
    .summary('forget a deleted object for good, in all of the past')
    .description(
      'Destroy the keys of all objects that were ever there under a name and do not exist any more.\n' +
        'What the log says of them cannot be read again, and nothing brings it back. It works for\n' +
        'resources that are encrypted (serve --encryption-provider-config).',
    )
    .argument('<KIND/NAME...>', 'the object, as in secret/db')
    .addOption(namespaceOption())
    .addHelpText('after', '\nExample:\n  kubectl delete secret db && everwatch shred secret/db');
  return withSourceOptions(command).action(
    async (words: readonly string[], options: ShredOptions & SourceOptions) => {
      const load = async () => {
        const { shred } = await import('../shred/shred-command.ts');
        return (tool: Tool) => shred(tool, words, options);
      };
      exitWith(await run<ShredOptions>(load, { words, options }));
    },
  );
}

function statusCommand(exitWith: ExitWith): Command {
  const command = new Command('status')
    .summary('how a control plane and its log are')
    .description(
      'Show from which version to which the log reaches, how many objects there are, what they take\n' +
        'on disk and how far a replica is behind.',
    )
    .addOption(outputOption('table, json, jsonl or yaml', 'table'))
    .allowExcessArguments(false)
    .addHelpText('after', '\nExamples:\n  everwatch status\n  everwatch status -o json');
  return withSourceOptions(command).action(async (options: StatusOptions & SourceOptions) => {
    const load = async () => {
      const { status } = await import('../status/status-command.ts');
      return (tool: Tool) => status(tool, options);
    };
    exitWith(await run<StatusOptions>(load, { words: [], options }));
  });
}

function namespaceOption(
  what = "its namespace (default: that of the kubeconfig's context)",
): Option {
  return new Option('-n, --namespace <NAME>', what);
}

function outputOption(formats: string, byDefault: string): Option {
  return new Option('-o, --output <FORMAT>', formats).default(byDefault);
}
