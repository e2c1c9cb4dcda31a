/** Certificates that change on disk while a server runs. */
import type { Logger } from '../../../actors/request/logger.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import type { Listener } from '../../listener/listener.ts';
import type { Pki } from '../../listener/self-signed.ts';
import { startTlsReload } from '../../listener/tls-reload.ts';
import { clientAuthorities } from '../../listener/tls.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { ClientTrust } from '../guards/client-trust.ts';
import { certificateOptionsOf, type CertificateSections } from './certificates.ts';
import { measureLife } from '../lifecycle/life-figures.ts';

export interface ReloadParts {
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
  options: CertificateSections & Pick<ServeOptions, 'features'>,
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
      listener.renew(renewed, change);
      if (change.authorities) trust.believeClients([renewed.ca ?? []].flat().map(String));
    },
  });
  measureLife(metrics, { reloads, featureGates: options.features.featureGates });
}
