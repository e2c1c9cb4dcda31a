/**
 * Reads the kubeconfig that the server writes: one cluster, one user, everything embedded.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

import { type JsonValue, textAt } from './json.ts';

export interface ClusterAccess {
  /** `https://host:port`, without a slash at the end. */
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export function readKubeconfig(path: string): ClusterAccess {
  const config = parse(readFileSync(path, 'utf8')) as JsonValue;
  const cluster = ['clusters', 0, 'cluster'];
  const user = ['users', 0, 'user'];
  return {
    url: textAt(config, ...cluster, 'server').replace(/\/$/, ''),
    ca: decoded(textAt(config, ...cluster, 'certificate-authority-data')),
    cert: decoded(textAt(config, ...user, 'client-certificate-data')),
    key: decoded(textAt(config, ...user, 'client-key-data')),
  };
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
