/** What `everwatch dashboard` does: the proxy, and the address that is printed whenever one was used. */
import { once } from 'node:events';
import { clusterAccess, type AccessOptions } from '../../configuration/kubeconfig-access.ts';
import { EndpointRequests } from '../../outbound/kubeconfig-endpoint.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { interruption } from '../tool/interruption.ts';
import { LocalProxy } from './local-proxy.ts';
import { PageKeys } from './page-keys.ts';

interface ServeDashboardOptions extends AccessOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly print: (text: string) => void;
}

/** Settles when it is interrupted. @throws StartupError */
export async function serveDashboard(options: ServeDashboardOptions): Promise<void> {
  const { port, print } = options;
  const access = await clusterAccess(options, process.env);
  const requests = new EndpointRequests(access, { clock: systemClock });
  const keys = new PageKeys();
  let address = '';
  const show = (): void => {
    print(`${address}/everwatch/#code=${keys.renew()}\n`);
  };
  const server = access.server.endsWith('/') ? access.server.slice(0, -1) : access.server;
  const proxy = new LocalProxy({ server, requests, keys, codeUsed: show });
  try {
    address = `http://127.0.0.1:${String(await proxy.listen(port))}`;
  } catch (error) {
    throw new StartupError(`cannot listen on port ${String(port)}: ${systemProblem(error)}`);
  }
  print(`The page of ${access.server}, until Ctrl-C. Each address works once:\n`);
  show();
  const interrupted = interruption();
  if (!interrupted.signal.aborted) await once(interrupted.signal, 'abort');
  interrupted.end();
  await proxy.close();
  requests.destroy();
}
