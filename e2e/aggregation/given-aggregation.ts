/** A server that passes requests on to aggregated servers, with the certificates that this takes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { created } from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import type { JsonObject } from '../support/json.ts';
import { testAuthority } from '../support/test-authority.ts';

/** The name by which this server is known to aggregated ones. */
export const FRONT_PROXY = 'front-proxy';

/** What aggregated servers are shown, and show. */
export interface AggregationTrust {
  readonly folder: string;
  /** Flags of the server. */
  readonly serverFlags: readonly string[];
  /** PEM of the authority of the certificate that aggregated servers are shown. */
  readonly proxyAuthority: string;
  /** Of the authority of aggregated servers, as APIServices have it. */
  readonly caBundle: string;
  /** A certificate for the server behind a service of the namespace `default`; `file` is without its end. */
  serving(service: string): Promise<{ certificate: string; key: string; file: string }>;
  remove(): void;
}

export async function aggregationTrust(): Promise<AggregationTrust> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-aggregation-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [proxies, servers] = await Promise.all([
    testAuthority('proxies'),
    testAuthority('servers'),
  ]);
  const shown = await proxies.issue(FRONT_PROXY);
  return {
    folder,
    serverFlags: [
      `--requestheader-client-ca-file=${write('proxies.pem', proxies.certificate)}`,
      `--requestheader-allowed-names=${FRONT_PROXY}`,
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${write('shown.pem', shown.certificate)}`,
      `--proxy-client-key-file=${write('shown.key', shown.key)}`,
    ],
    proxyAuthority: proxies.certificate,
    caBundle: Buffer.from(servers.certificate).toString('base64'),
    async serving(service) {
      const issued = await servers.issue(service, [`${service}.default.svc`]);
      write(`${service}.crt`, issued.certificate);
      write(`${service}.key`, issued.key);
      return { ...issued, file: join(folder, service) };
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

/** Makes an APIService, and the service of that name which stands for a port of this machine. */
export async function registered(
  client: AdminClient,
  group: string,
  version: string,
  to: { readonly service: string; readonly port: number; readonly caBundle: string },
): Promise<void> {
  await created(client, '/api/v1/namespaces/default/services', {
    ...{ kind: 'Service', apiVersion: 'v1', metadata: { name: to.service } },
    spec: { type: 'ExternalName', externalName: '127.0.0.1' },
  });
  await created(client, API_SERVICES, {
    ...{ kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1' },
    metadata: { name: `${version}.${group}` },
    spec: {
      ...{ group, version, groupPriorityMinimum: 1_000, versionPriority: 15 },
      ...{ caBundle: to.caBundle },
      service: { namespace: 'default', name: to.service, port: to.port },
    },
  });
}

/** The condition `Available` of an APIService; undefined: there is none. */
export async function availability(
  client: AdminClient,
  name: string,
): Promise<JsonObject | undefined> {
  const { body } = await client.get(`${API_SERVICES}/${name}`);
  const { status } = body as { status?: { conditions?: JsonObject[] } }; // An APIService.
  return status?.conditions?.find((one) => one['type'] === 'Available');
}

/** Waits until the condition has this reason. */
export async function untilReason(
  client: AdminClient,
  name: string,
  reason: string,
): Promise<JsonObject> {
  let last: JsonObject | undefined;
  return eventually(
    () => `${name} ${reason}; it is ${JSON.stringify(last)}`,
    async () => {
      last = await availability(client, name);
      return last?.['reason'] === reason ? last : undefined;
    },
  );
}
