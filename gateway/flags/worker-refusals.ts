/**
 * What a server can only do as one process. Each refusal is one sentence at the start: what a server of
 * several processes does not do it does not do in part.
 */
import { StartupError } from '../process/startup-error.ts';
import type { KafkaSettings } from './sections/kafka-settings.ts';
import type { FeatureSettings } from './sections/lifecycle-settings.ts';
import type { ListeningSettings } from './sections/listening-settings.ts';
import type { EncryptionSettings } from './sections/storage-settings.ts';
import type { WorkerSettings } from './sections/worker-settings.ts';

interface WorkerSections {
  readonly lifecycle: WorkerSettings;
  readonly log: Pick<KafkaSettings, 'address'>;
  readonly encryption: EncryptionSettings;
  readonly features: Pick<FeatureSettings, 'allowReset'>;
  readonly listening: Pick<ListeningSettings, 'permitPortSharing'>;
}

/** @throws StartupError where the options ask for what only one process does. */
export function checkWorkerOptions({
  lifecycle,
  log,
  encryption,
  features,
  listening,
}: WorkerSections): void {
  if (lifecycle.workers === 1) return;
  const refuse = (why: string): never => {
    throw new StartupError(`--workers ${String(lifecycle.workers)}: ${why}`);
  };
  if (log.address.engine !== 'embedded') {
    refuse('workers share an embedded log; with a log in Kafka start several servers on the topic');
  }
  if (encryption.encryptionProviderConfig !== undefined) {
    refuse('only a server of one process encrypts: leave out --encryption-provider-config');
  }
  if (features.allowReset) refuse('only a server of one process is reset: leave out --allow-reset');
  if (listening.permitPortSharing) {
    refuse('workers share the port among themselves: leave out --permit-port-sharing');
  }
}
