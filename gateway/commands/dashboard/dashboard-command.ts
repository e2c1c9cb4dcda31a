/** `everwatch dashboard`: its flags and its help. What it does is loaded when it runs. */
import { Command, Option } from 'commander';
import { StartupError } from '../../process/startup-error.ts';

interface DashboardOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly port: string;
}

/** @param print takes whole lines. */
export function dashboardCommand(print: (text: string) => void): Command {
  return new Command('dashboard')
    .summary('the page of a server, with the credentials of a kubeconfig')
    .description(
      'Serve the page of a server on an address of this machine, with the credentials of a\n' +
        'kubeconfig, until Ctrl-C. The address that is printed works once; then another one is\n' +
        'printed. Other users of this machine, and other pages in the browser, get nothing.',
    )
    .option('--kubeconfig <FILE>', 'of the server (default: $KUBECONFIG, or ~/.kube/config)')
    .option('--context <NAME>', 'the context in the kubeconfig')
    .addOption(new Option('--port <PORT>', 'of 127.0.0.1; 0 for any that is free').default('0'))
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nExamples:\n  everwatch dashboard\n  kubectl everwatch dashboard --context staging',
    )
    .action(async ({ kubeconfig: file, context, port }: DashboardOptions) => {
      if (!/^\d{1,5}$/.test(port)) throw new StartupError(`--port ${port}: it is no port`);
      const { serveDashboard } = await import('./serve-dashboard.ts');
      await serveDashboard({ file, context, port: Number(port), print });
    });
}
