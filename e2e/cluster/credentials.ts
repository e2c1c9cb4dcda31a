/** kubectl with the credentials of a single client, in the place of the administrator. */
import { join } from 'node:path';

import type { CommandResult } from '../support/command.ts';
import type { JsonObject } from '../support/json.ts';
import type { Cluster } from './cluster.ts';

/** kubectl as a client with these credentials and no others. */
export function as({ kubectl, server }: Cluster, ...credentials: string[]) {
  const { url, dataDir } = server();
  const flags = [
    '--kubeconfig=/dev/null',
    `--server=${url}`,
    `--certificate-authority=${join(dataDir, 'pki', 'ca.crt')}`,
    ...credentials,
  ];
  return (args: string, object?: JsonObject): Promise<CommandResult> =>
    kubectl.attempt(
      [...flags, ...args.split(' ')],
      object === undefined ? {} : { input: JSON.stringify(object) },
    );
}
