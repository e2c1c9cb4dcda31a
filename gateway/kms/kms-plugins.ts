/**
 * The KMS plugins of one configuration: each is asked again and again how it is, and all of them
 * together are one check of the server's health.
 *
 * In Kubernetes: kmsHealthChecker, apiserver/pkg/server/options/encryptionconfig.
 */
import type { Logger } from '../../actors/request/logger.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { hashText } from '../../api/meta/hash-text.ts';
import { aggregated } from '../../streams/encryption/encrypted-object.ts';
import { KmsProvider } from '../../streams/encryption/kms-provider.ts';
import type { KmsMeters, KmsService } from '../../streams/encryption/kms-service.ts';
import type { KmsClient, KmsClientParts } from './kms-client.ts';
import type { KmsSettings } from '../configuration/kms-validation.ts';

export interface KmsPluginsParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meters: KmsMeters;
  /** Told when one seals with a new key. */
  readonly rotated: () => void;
}

interface Plugin {
  readonly provider: KmsProvider;
  readonly timeoutMs: number;
}

export class KmsPlugins {
  readonly #parts: KmsPluginsParts;
  readonly #plugins: Plugin[] = [];

  constructor(parts: KmsPluginsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#plugins.length;
  }

  /** After so long every call that is under way is over; in milliseconds. */
  get graceMs(): number {
    return 2 * this.#plugins.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
  }

  /** Adds one. Nobody is asked before {@link start}. */
  make({ name, path, timeoutMs }: KmsSettings): KmsProvider {
    const { clock, logger, meters, rotated } = this.#parts;
    const service = lazyService({ name, path, timeoutMs, clock, meters });
    let said: string | undefined;
    const provider = new KmsProvider(
      { name, service, clock, meters },
      {
        rotated(seed) {
          const keyIdHash = hashText(seed.sealed.keyId);
          logger.info({ provider: name, keyIdHash }, 'keys are sealed with a new seed');
          rotated();
        },
        checked(problem) {
          if (problem !== undefined && said === undefined) {
            logger.warn({ provider: name, problem }, 'a KMS plugin is not well');
          } else if (problem === undefined && said !== undefined) {
            logger.info({ provider: name }, 'a KMS plugin is well again');
          }
          said = problem;
        },
      },
    );
    this.#plugins.push({ provider, timeoutMs });
    return provider;
  }

  /** Resolves when each was asked once, whatever it answered; from then on they are asked by themselves. */
  async start(): Promise<void> {
    await this.check();
    for (const { provider } of this.#plugins) provider.probe.start();
  }

  /** Asks those that were not asked a moment ago. @returns what is wrong with them. */
  async check(): Promise<string | undefined> {
    return joined(await Promise.all(this.#plugins.map(({ provider }) => provider.probe.check())));
  }

  /** What was wrong with them when they were asked last. */
  problem(): string | undefined {
    return joined(this.#plugins.map(({ provider }) => provider.probe.lastProblem()));
  }

  close(): void {
    for (const { provider } of this.#plugins) provider.close();
  }
}

function joined(problems: readonly (string | undefined)[]): string | undefined {
  const named = problems.flatMap((problem, index) =>
    problem === undefined ? [] : [`kms-provider-${String(index)}: ${problem}`],
  );
  return aggregated(named);
}

/** The package is loaded when somebody is asked, and so never where there is no KMS. */
function lazyService(parts: KmsClientParts): KmsService {
  let coming: Promise<KmsClient> | undefined;
  const client = (): Promise<KmsClient> => {
    coming ??= import('./kms-client.ts').then(({ KmsClient: Made }) => new Made(parts));
    return coming;
  };
  return {
    status: async () => (await client()).status(),
    encrypt: async (uid, plain) => (await client()).encrypt(uid, plain),
    decrypt: async (uid, sealed) => (await client()).decrypt(uid, sealed),
    close() {
      // What could not be loaded has nothing to close.
      coming?.then(
        (made) => {
          made.close();
        },
        () => undefined,
      );
    },
  };
}
