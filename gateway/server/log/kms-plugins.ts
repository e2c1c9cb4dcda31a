/**
 * The KMS plugins of one configuration: each is asked again and again how it is, and all of them
 * together are one check of the server's health.
 *
 * In Kubernetes: kmsHealthChecker, apiserver/pkg/server/options/encryptionconfig.
 */
import type { Logger } from '../../../actors/request/logger.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { hashText } from '../../../api/meta/hash-text.ts';
import { aggregated } from '../../../streams/encryption/encrypted-object.ts';
import { KmsProvider } from '../../../streams/encryption/kms-provider.ts';
import { KmsClient, type KmsCaller } from '../../../streams/encryption/kms-client.ts';
import {
  KmsCallError,
  type KmsMeters,
  type KmsService,
} from '../../../streams/encryption/kms-service.ts';
import type { UnaryClient } from '../../outbound/grpc-clients.ts';
import type { KmsSettings } from '../../configuration/kms-validation.ts';

interface KmsPluginsParts {
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

  /** Adds one. It is not called before {@link start}. */
  make({ name, path, timeoutMs }: KmsSettings): KmsProvider {
    const { clock, logger, meters, rotated } = this.#parts;
    const service = kmsServiceAt({ name, path, timeoutMs, clock, meters });
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

interface KmsServiceParts {
  /** Of the provider, for the figures. */
  readonly name: string;
  /** Of the socket; `@name` is one that lies in no folder. */
  readonly path: string;
  /** For each call. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly meters: Pick<KmsMeters, 'called'>;
}

/** The plugin at a socket. The package of gRPC is loaded with the first call, so not where there is no KMS. */
export function kmsServiceAt(parts: KmsServiceParts): KmsService {
  let coming: Promise<UnaryClient> | undefined;
  let isClosed = false;
  const connected = async (): Promise<UnaryClient> => {
    coming ??= connectionOf(parts);
    const client = await coming;
    if (isClosed) client.close();
    return client;
  };
  const caller: KmsCaller = {
    call: async (method, question, timeoutMs) =>
      (await connected()).call(method, question, timeoutMs),
    close() {
      isClosed = true;
      // A package that could not be loaded has nothing to close.
      if (coming !== undefined) connected().catch(() => undefined);
    },
  };
  return new KmsClient(caller, parts.timeoutMs);
}

async function connectionOf({ name, path, clock, meters }: KmsServiceParts): Promise<UnaryClient> {
  const { UnaryClient: Connected } = await import('../../outbound/grpc-clients.ts');
  return new Connected({
    path,
    clock,
    called: (method, code, durationMs) => {
      meters.called(name, method, code, durationMs);
    },
    failure: (code, details, options) => new KmsCallError(code, details, options),
  });
}
