/**
 * The certificates of a server: made on its first start, there already afterwards, and taken up anew
 * when their files change while it runs. Figures count those changes.
 */
import { hostname } from 'node:os';

import type { DoorSettings, LogSettings, UserSettings } from '../../flags/serve-settings.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { ServiceSettings } from '../../flags/sections/service-settings.ts';
import { fillCertificateDirectory } from '../../listener/tls/certificate-directory.ts';
import { type Pki, preparePki } from '../../listener/tls/self-signed.ts';
import { clientAuthorities, type TlsFiles, tlsOptions } from '../../listener/tls/tls.ts';
import type { ServingOptions } from '../../listener/tls/tls-servers.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { formatAddress } from '../../../api/kinds/core/services/service-ranges.ts';
import { advertisedTo } from '../control-plane/service-hooks.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { shareAuthority } from '../guards/shared-authority.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { Listener } from '../../listener/listener.ts';
import { startTlsReload, type TlsReloads } from '../../listener/tls/tls-reload.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ClientTrust } from '../guards/client-trust.ts';
import type { FeatureGates } from '../../../actors/lifecycle/feature-gates.ts';
import { measureWorkQueues } from '../../metrics/work-queue-meters.ts';
import { KUBERNETES_VERSION, versionInfo } from '../../routes/version.ts';

/** Which files to serve with, and where certificates are made where there are none. */
export interface CertificateOptions extends TlsFiles {
  /** Made certificates lie in its folder `pki`. */
  readonly dataDir: string;
  /** A made certificate names it. */
  readonly bindAddress: string;
  /** Other addresses by which members of the cluster reach the server: of its service, and its own. */
  readonly memberAddresses?: readonly string[];
  /** Where tlsCertFile and tlsPrivateKeyFile are written when they are not there. */
  readonly certDir?: string | undefined;
}

/** What the flags say of the files of certificates. */
export interface CertificateSections {
  readonly log: Pick<LogSettings, 'dataDir' | 'keyFile' | 'readOnly'>;
  readonly listening: DoorSettings;
  readonly authentication: Pick<UserSettings, 'clientCaFile'>;
}

/** Collects what flags of three sections say of certificates. */
export function certificateOptionsOf(sections: CertificateSections): CertificateOptions {
  const { clientCaFile } = sections.authentication;
  return { ...sections.listening, clientCaFile, dataDir: sections.log.dataDir };
}

interface Certificates {
  readonly pki: Pki;
  readonly tls: ServingOptions;
}

/** `now` in milliseconds since 1970. @throws StartupError */
export async function prepareCertificates(
  options: CertificateOptions,
  now: number,
): Promise<Certificates> {
  const { dataDir, bindAddress, memberAddresses = [] } = options;
  const hostNames = [hostname(), bindAddress, ...memberAddresses];
  const pki = await preparePki({ dataDir, hostNames, now });
  const { certDir, tlsCertFile: certFile, tlsPrivateKeyFile: keyFile } = options;
  if (certDir !== undefined && certFile !== undefined && keyFile !== undefined) {
    await fillCertificateDirectory(pki, { certFile, keyFile });
  }
  return { pki, tls: tlsOptions(pki, options) };
}

/** Those of the control plane, where other servers are part of it. @throws StartupError */
export async function certificatesFor(
  options: CertificateSections & { readonly services: ServiceSettings },
  { context, opened: { hasOtherWriters } }: ControlPlane,
): Promise<Certificates> {
  const { dataDir, keyFile, readOnly } = options.log;
  if (hasOtherWriters && !readOnly) {
    await shareAuthority({ context, clock: systemClock, random: systemRandom, dataDir, keyFile });
  }
  const memberAddresses = [
    ...options.services.ranges.map(({ family, first }) => formatAddress(family, first)),
    ...[(await advertisedTo(options)) ?? []].flat(),
  ];
  const files = { ...certificateOptionsOf(options), memberAddresses };
  return prepareCertificates(files, systemClock.now());
}

interface ReloadParts {
  readonly pki: Pki;
  readonly listener: Listener;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly trust: ClientTrust;
  /** Its abort ends the reloads. */
  readonly until: AbortSignal;
}

/** From now on certificates that change on disk are taken up, and figures count the changes. */
export async function startCertificateReload(
  options: CertificateSections & { readonly features: Pick<FeatureSettings, 'featureGates'> },
  { pki, listener, logger, metrics, trust, until }: ReloadParts,
): Promise<void> {
  const files = certificateOptionsOf(options);
  trust.believeClients(clientAuthorities(pki, files));
  const reloads = await startTlsReload({
    pki,
    files,
    clock: systemClock,
    logger,
    until,
    renew: (renewed, change) => {
      // What clients are told holds names alone. A file that cannot be read any more changes nothing.
      const believed = change.authorities ? clientAuthorities(pki, files) : undefined;
      listener.renew(renewed, change);
      if (believed !== undefined) trust.believeClients(believed);
    },
  });
  measureLife(metrics, { reloads, featureGates: options.features.featureGates });
}

interface LifeFigures {
  readonly reloads: TlsReloads;
  readonly featureGates: FeatureGates;
}

function measureLife(metrics: Metrics, { reloads, featureGates }: LifeFigures): void {
  measureWorkQueues(metrics, systemClock);
  metrics.gauge('kubernetes_build_info', 'Always 1; the labels say what this program is.', () => [
    { labels: buildLabels(), value: 1 },
  ]);
  metrics.gauge(
    'version_info',
    'Always 1; the labels say which versions this server is of.',
    () => [{ labels: versionLabels(), value: 1 }],
  );
  metrics.gauge('kubernetes_feature_enabled', 'Whether a feature is on.', () =>
    [...featureGates.entries()].map(({ name, stage, isOn }) => {
      return { labels: { name, stage }, value: isOn ? 1 : 0 };
    }),
  );
  metrics.counter(
    'everwatch_certificate_reloads_total',
    'Times that certificates had changed on disk, by whether they could be used.',
    () =>
      (['success', 'failure'] as const).map((outcome) => ({
        labels: { outcome },
        value: reloads[outcome],
      })),
  );
}

function buildLabels() {
  const info = versionInfo();
  return {
    major: info.major,
    minor: info.minor,
    git_version: info.gitVersion,
    git_commit: info.gitCommit,
    git_tree_state: info.gitTreeState,
    build_date: info.buildDate,
    go_version: info.goVersion,
    compiler: info.compiler,
    platform: info.platform,
  };
}

function versionLabels() {
  const info = versionInfo();
  return {
    component: 'kube',
    binary: KUBERNETES_VERSION.slice(1),
    emulation: `${info.emulationMajor}.${info.emulationMinor}`,
    min_compat: `${info.minCompatibilityMajor}.${info.minCompatibilityMinor}`,
  };
}
