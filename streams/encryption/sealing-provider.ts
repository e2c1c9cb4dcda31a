/**
 * Ways to make bytes unreadable for a reader that has only the disk. A provider seals with its first key,
 * and opens with any that it has; several of them are tried in their order, so keys and ways can be
 * changed while what was sealed before is still read.
 *
 * In Kubernetes: Transformer and PrefixTransformers, apiserver/pkg/storage/value.
 */

/** What a value is bound to: sealed bytes that were copied to another place do not open there. */
export type AuthenticatedData = Uint8Array;

export interface Opened {
  readonly plain: Buffer;
  /** It would be sealed otherwise today: with another key, or in another way. */
  readonly isStale: boolean;
}

export interface SealingProvider {
  /** What its values begin with, as `k8s:enc:aesgcm:v1:`; '' leaves them as they are. */
  readonly prefix: string;
  /** @returns without the prefix. */
  seal(plain: Uint8Array, place: AuthenticatedData): Buffer;
  /**
   * @param sealed without the prefix.
   * @throws {UnreadableValueError}
   */
  open(sealed: Buffer, place: AuthenticatedData): Opened;
  /**
   * Fetches what it takes to open these values, which must not be waited for then. Left out where
   * nothing has to be fetched.
   *
   * @throws {ProviderUnavailableError} it cannot be had just now.
   */
  prepare?(sealed: readonly Buffer[]): Promise<void>;
  /** Why nothing is to be sealed at the moment; undefined: it may be. */
  refusal?(): string | undefined;
}

/** A service has to be asked that does not answer: what was sealed is whole, and can be opened later. */
export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError';
}

/** None of the keys opens it, or it was changed. */
export class UnreadableValueError extends Error {
  override readonly name = 'UnreadableValueError';
}

/** One key of a provider: what it makes begins with its name. */
export interface NamedCipher {
  /** As in the configuration file; part of what is stored. */
  readonly name: string;
  /** Encrypts. @param place what the bytes belong to; they open with the same place only. */
  seal(plain: Uint8Array, place: AuthenticatedData): Buffer;
  /** @throws when it is not of this key. */
  open(sealed: Buffer, place: AuthenticatedData): Buffer;
}

/** @param ciphers the first one seals. */
export function keyedProvider(prefix: string, ciphers: readonly NamedCipher[]): SealingProvider {
  const named = ciphers.map((cipher) => ({ cipher, head: Buffer.from(`${cipher.name}:`) }));
  const [first] = named;
  if (first === undefined) throw new Error(`${prefix} has no key`);
  return {
    prefix,
    seal: (plain, place) => Buffer.concat([first.head, first.cipher.seal(plain, place)]),
    open(sealed, place) {
      for (const [index, { cipher, head }] of named.entries()) {
        if (!startsWith(sealed, head)) continue;
        const plain = opened(() => cipher.open(sealed.subarray(head.length), place));
        // Two keys may have one name.
        if (plain !== undefined) return { plain, isStale: index > 0 };
      }
      throw new UnreadableValueError('no key of the configuration opens the value');
    },
  };
}

/** Leaves everything as it is. */
export const identity: SealingProvider = {
  prefix: '',
  seal: (plain) => Buffer.from(plain),
  open: (sealed) => ({ plain: sealed, isStale: false }),
};

const SEALED_HEAD = Buffer.from('k8s:enc:');

/** Told of keys that are sealed and opened, and of those that are made. Must not throw. */
export interface SealingMeters {
  /** Milliseconds from anywhere, with fractions. */
  now(): number;
  /** @param problem undefined: it went well. */
  transformed(transformation: Transformation, durationMs: number, problem: unknown): void;
  /** A key for an object was made and sealed, in so many milliseconds. */
  keyMade(durationMs: number): void;
}

/** What metrics are told of each value that is encrypted or opened. */
export interface Transformation {
  /** As `secrets` and `pandas.bears.example`. */
  readonly resource: string;
  /** Upstream's words for opening and for sealing. */
  readonly type: 'from_storage' | 'to_storage';
  /** Of the provider, as `k8s:enc:aesgcm:v1:`; `unknown`: there is none for it. */
  readonly prefix: string;
}

interface Measured {
  readonly resource: string;
  readonly meters: SealingMeters;
}

/** The providers of a resource, as one: the first seals. */
export class ProviderChain {
  readonly #providers: readonly { readonly provider: SealingProvider; readonly head: Buffer }[];

  readonly #measured: Measured | undefined;

  /** @param providers at least one. */
  constructor(providers: readonly SealingProvider[], measured?: Measured) {
    if (providers.length === 0) throw new Error('no provider');
    this.#measured = measured;
    this.#providers = providers.map((provider) => ({
      provider,
      head: Buffer.from(provider.prefix),
    }));
  }

  /** The same providers, for one resource whose keys are counted and measured. */
  measuredFor(resource: string, meters: SealingMeters): ProviderChain {
    const providers = this.#providers.map(({ provider }) => provider);
    return new ProviderChain(providers, { resource, meters });
  }

  /** Whether what is written today is written as it is. */
  get leavesPlain(): boolean {
    return this.#providers[0]?.head.length === 0;
  }

  /** See {@link SealingProvider.refusal}. */
  refusal(): string | undefined {
    return this.#providers[0]?.provider.refusal?.();
  }

  /** See {@link SealingProvider.prepare}. @throws {ProviderUnavailableError} */
  async prepare(sealed: readonly Buffer[]): Promise<void> {
    for (const { provider, head } of this.#providers) {
      if (provider.prepare === undefined) continue;
      const own = sealed.filter((value) => startsWith(value, head));
      if (own.length > 0) await provider.prepare(own.map((value) => value.subarray(head.length)));
    }
  }

  seal(plain: Uint8Array, place: AuthenticatedData): Buffer {
    const [first] = this.#providers;
    if (first === undefined) throw new Error('no provider');
    const { prefix } = first.provider;
    return this.#measure('to_storage', prefix, () =>
      Buffer.concat([first.head, first.provider.seal(plain, place)]),
    );
  }

  /** @throws {UnreadableValueError} */
  open(sealed: Buffer, place: AuthenticatedData): Opened {
    let [problem, isOfAny]: [unknown, boolean] = [undefined, false];
    for (const [index, { provider, head }] of this.#providers.entries()) {
      // What another provider made is not plain, though it begins with nothing as everything does.
      const isOfProvider =
        head.length === 0 ? !startsWith(sealed, SEALED_HEAD) : startsWith(sealed, head);
      if (!isOfProvider) continue;
      isOfAny = true;
      try {
        const { plain, isStale } = this.#measure(
          'from_storage',
          provider.prefix || 'identity',
          () => provider.open(sealed.subarray(head.length), place),
        );
        return { plain, isStale: isStale || index > 0 };
      } catch (error) {
        problem = error;
      }
    }
    if (isOfAny) throw problem;
    return this.#measure('from_storage', 'unknown', () => {
      throw new UnreadableValueError('no provider of the configuration made it');
    });
  }

  #measure<Value>(type: Transformation['type'], prefix: string, work: () => Value): Value {
    if (this.#measured === undefined) return work();
    const { resource, meters } = this.#measured;
    const transformation = { resource, type, prefix };
    const startedAt = meters.now();
    try {
      const value = work();
      meters.transformed(transformation, meters.now() - startedAt, undefined);
      return value;
    } catch (error) {
      meters.transformed(transformation, meters.now() - startedAt, error);
      throw error;
    }
  }
}

export function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  if (bytes.length < head.length) return false;
  for (let at = 0; at < head.length; at += 1) if (bytes[at] !== head[at]) return false;
  return true;
}

function opened(open: () => Buffer): Buffer | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
