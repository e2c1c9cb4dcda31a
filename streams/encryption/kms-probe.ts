/**
 * Keeps the seed that a KMS provider seals with up to date: asks the service how it is, once a minute
 * and more often while it is not well, and makes a new seed when the service has another key. The
 * seed may be used for three minutes after the service was last well; what is known is read for ever.
 *
 * In Kubernetes: kmsv2PluginProbe and primeAndProbeKMSv2, apiserver/pkg/server/options/encryptionconfig.
 */
import { randomUUID } from 'node:crypto';
import { formatTime, type Clock } from '../../api/meta/clock.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { hashText } from '../../api/meta/hash-text.ts';
import { aggregated, keyIdProblem } from './encrypted-object.ts';
import { makeSeed, messageOf, type KmsSeed } from './kms-seed.ts';
import type { KmsMeters, KmsService, KmsStatus } from './kms-service.ts';

export interface KmsParts {
  /** Of the provider, in the configuration. */
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  readonly meters: KmsMeters;
}

export interface KmsProbeEvents {
  /** There is a new seed to seal with. */
  rotated(seed: KmsSeed): void;
  /** It was asked; undefined: it is well. */
  checked(problem: string | undefined): void;
}

interface WriteState {
  readonly seed: KmsSeed;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What came of a question how the service is. */
interface Answer {
  /** For the reader that asked. */
  readonly problem: string | undefined;
  /** For readers that come while the answer counts: upstream remembers an error without the words around it. */
  readonly remembered: string | undefined;
  readonly at: number;
  /** Whether any reader was told {@link problem}. */
  isTold: boolean;
}

const POLL_WELL_MS = 60_000;
const POLL_UNWELL_MS = 10_000;
const STATE_LASTS_MS = 180_000;
/** For so long an answer counts for every question how the service is. */
const WELL_COUNTS_MS = 20_000;
const UNWELL_COUNTS_MS = 3_000;
const VERSIONS = ['v2', 'v2beta1'];

export class KmsProbe {
  readonly #parts: KmsParts;
  readonly #events: KmsProbeEvents;
  #state: WriteState | undefined;
  #version = '';
  #last: Answer | undefined;
  #checking: Promise<string | undefined> | undefined;
  #isStopped = false;
  #cancel: () => void = () => undefined;

  constructor(parts: KmsParts, events: KmsProbeEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** To seal with; undefined: the service was never well so far. */
  get seed(): KmsSeed | undefined {
    return this.#state?.seed;
  }

  /** Why nothing is to be sealed now, in upstream's words. */
  refusal(): string | undefined {
    const state = this.#state;
    if (state === undefined) return 'got unexpected nil transformer';
    const now = this.#parts.clock.now();
    if (now <= state.expiresAt) return undefined;
    const key = goQuote(hashText(state.seed.sealed.keyId));
    const times = `${formatTime(state.expiresAt)} (current time is ${formatTime(now)})`;
    return `encryptedDEKSource with keyID hash ${key} expired at ${times}`;
  }

  /** Asks the service, unless it was asked a moment ago. @returns what is wrong with it. */
  check(): Promise<string | undefined> {
    if (this.#checking !== undefined) return this.#checking;
    if (this.#last !== undefined && this.#counts(this.#last)) {
      return Promise.resolve(this.#last.remembered);
    }
    this.#checking = this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** What was wrong when it was asked last; where that was long ago, it is asked again for the next reader. */
  lastProblem(): string | undefined {
    if (!this.#isStopped) void this.check();
    const last = this.#last;
    if (last === undefined) return 'the provider was not asked yet';
    if (last.isTold) return last.remembered;
    last.isTold = true;
    return last.problem;
  }

  /** Goes on asking until {@link stop}. */
  start(): void {
    if (this.#isStopped) return;
    const isWell = this.#last !== undefined && this.#last.problem === undefined;
    this.#cancel = this.#parts.clock.after(isWell ? POLL_WELL_MS : POLL_UNWELL_MS, () => {
      void this.check().finally(() => {
        this.start();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #counts({ problem, at }: Answer): boolean {
    const lasts = problem === undefined ? WELL_COUNTS_MS : UNWELL_COUNTS_MS;
    const sinceMs = this.#parts.clock.now() - at;
    // Below 0 the clock was set back, and it is not known how long ago that was.
    return sinceMs >= 0 && sinceMs < lasts;
  }

  async #check(): Promise<string | undefined> {
    const { problem, remembered = problem } = await this.#ask();
    this.#last = { problem, remembered, at: this.#parts.clock.now(), isTold: false };
    this.#events.checked(problem);
    return problem;
  }

  async #ask(): Promise<Partial<Pick<Answer, 'problem' | 'remembered'>>> {
    const { name, service } = this.#parts;
    let status: KmsStatus;
    try {
      status = await service.status();
    } catch (error) {
      const what = `failed to perform status section of the healthz check for KMS Provider ${name}`;
      const remembered = messageOf(error);
      return { problem: `${what}, error: ${remembered}`, remembered };
    }
    const problems = aggregated(await this.#problemsOf(status));
    return problems === undefined
      ? {}
      : { problem: `kmsv2 Provider ${name} is not healthy, error: ${problems}` };
  }

  async #problemsOf(status: KmsStatus): Promise<string[]> {
    const { name, meters } = this.#parts;
    const { healthz, keyId } = status;
    const problems: (string | undefined)[] = [];
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${healthz}`);
    problems.push(this.#versionProblem(status.version));
    const invalid = keyIdProblem(keyId);
    if (invalid === undefined) {
      meters.keyReported(name, keyId);
      problems.push(await this.#rotationProblem(keyId));
    } else {
      meters.invalidKeyReported(name, invalid.code);
      problems.push(`got invalid KMSv2 KeyID hash ${goQuote(hashText(keyId))}: ${invalid.message}`);
    }
    return problems.filter((problem) => problem !== undefined);
  }

  #versionProblem(version: string): string | undefined {
    if (!VERSIONS.includes(version)) return `expected KMSv2 API version v2, got ${version}`;
    if (this.#version === '') this.#version = version;
    if (this.#version === version) return undefined;
    return `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`;
  }

  /** Makes a new seed where the service has another key; the one there is stays, whatever becomes of it. */
  async #rotationProblem(statusKeyId: string): Promise<string | undefined> {
    const expiresAt = this.#parts.clock.now() + STATE_LASTS_MS;
    const state = this.#state;
    if (state?.seed.sealed.keyId === statusKeyId) {
      this.#state = { ...state, expiresAt };
      return undefined;
    }
    let generating = '<nil>';
    let encryptKeyId = '';
    try {
      const seed = await makeSeed(this.#parts.service);
      encryptKeyId = seed.sealed.keyId;
      if (encryptKeyId === statusKeyId) {
        this.#state = { seed, expiresAt };
        this.#events.rotated(seed);
        return undefined;
      }
    } catch (error) {
      generating = messageOf(error);
    }
    const hashes = [statusKeyId, encryptKeyId, state?.seed.sealed.keyId ?? ''].map((keyId) =>
      goQuote(hashText(keyId)),
    );
    const [ofStatus = '', ofEncrypt = '', ofState = ''] = hashes;
    const expires = state === undefined ? '0001-01-01T00:00:00Z' : formatTime(state.expiresAt);
    const stateProblem = state === undefined ? 'got unexpected nil transformer' : '<nil>';
    return (
      `failed to rotate DEK uid=${goQuote(randomUUID())}, useSeed=true, errState=${stateProblem}, ` +
      `errGen=${generating}, statusKeyIDHash=${ofStatus}, encryptKeyIDHash=${ofEncrypt}, ` +
      `stateKeyIDHash=${ofState}, expirationTimestamp=${expires}`
    );
  }
}
