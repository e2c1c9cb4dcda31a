/** The commands about forks: their flags and help. What they do is loaded when they run. */
import { Command, Option } from 'commander';
import type { AccessOptions } from '../../configuration/kubeconfig-access.ts';
import { MOMENT_HELP } from '../tool/moment-help.ts';
import type { ForkTool } from './fork-actions.ts';

interface ServerOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export function forkCommands(): Command[] {
  const fork = new Command('fork')
    .summary('control planes that can be written to, on top of the past of another')
    .description(
      'A fork is a whole control plane that begins with everything another one had at\n' +
        'some moment, and goes its own way from there. The same server serves it under\n' +
        '/forks/NAME; what is written to it is seen nowhere else. To make one copies\n' +
        'nothing and takes no time.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  everwatch fork create try\n' +
        '  everwatch fork kubeconfig try > try.kubeconfig\n' +
        '  KUBECONFIG=try.kubeconfig kubectl delete namespace shop\n' +
        '  everwatch fork delete try',
    );
  for (const command of [createCommand(), listCommand(), deleteCommand(), kubeconfigCommand()]) {
    fork.addCommand(command);
  }
  return [fork];
}

function createCommand(): Command {
  const command = new Command('create')
    .summary('make a fork')
    .description('Make a fork of the control plane as it is, or as it was at some moment.')
    .argument('<NAME>', 'its name: a DNS label, for it stands in a path')
    .option('--at <MOMENT>', 'the moment at which it begins', 'now')
    .addHelpText(
      'after',
      `${MOMENT_HELP}\n\nExamples:\n` +
        '  everwatch fork create try\n' +
        '  everwatch fork create before-the-upgrade --at 2h',
    );
  return withServer(command).action(async (name: string, options: ServerOptions & { at: string }) =>
    run(options, (tool) => tool.create(name, options.at)),
  );
}

function listCommand(): Command {
  const command = new Command('list')
    .summary('show the forks there are')
    .description('Show the forks there are, and where each of them begins.')
    .addOption(new Option('-o, --output <FORMAT>', 'table, json, jsonl or yaml').default('table'));
  return withServer(command).action(async (options: ServerOptions & { output: string }) =>
    run(options, (tool) => tool.list(options.output)),
  );
}

function deleteCommand(): Command {
  const command = new Command('delete')
    .summary('remove forks, with all that was written to them')
    .description('Remove forks, with all that was written to them. Their watches end.')
    .argument('<NAME...>', 'which');
  return withServer(command).action(async (names: string[], options: ServerOptions) =>
    run(options, (tool) => tool.delete(names)),
  );
}

function kubeconfigCommand(): Command {
  const command = new Command('kubeconfig')
    .summary('print a kubeconfig for a fork')
    .description(
      'Print a kubeconfig with which kubectl and every other client uses the fork: the\n' +
        'same user, another server.',
    )
    .argument('<NAME>', 'which');
  return withServer(command).action(async (name: string, options: ServerOptions) =>
    run(options, (tool) => tool.kubeconfig(name)),
  );
}

function withServer(command: Command): Command {
  return command
    .option('--kubeconfig <FILE>', 'of the server (default: $KUBECONFIG, or ~/.kube/config)')
    .option('--context <NAME>', 'the context in the kubeconfig')
    .allowExcessArguments(false);
}

async function run(
  { kubeconfig, context }: ServerOptions,
  action: (tool: ForkTool) => Promise<void>,
): Promise<void> {
  const access: AccessOptions = { file: kubeconfig, context };
  const { withForkTool } = await import('./fork-actions.ts');
  await withForkTool(access, action);
}
