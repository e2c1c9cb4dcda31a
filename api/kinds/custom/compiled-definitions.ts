/**
 * The compiled definitions of one control plane. One that was not used for some minutes is
 * forgotten, and so is the one used longest ago when there are many: it is read from the definition
 * again when it is needed.
 */
import type { Clock } from '../../meta/clock.ts';
import type { JsonObject } from '../../json/json.ts';
import type { DefinitionConverter } from './definition-converter.ts';
import type { VersionSchema } from './version-schema.ts';

/** Everything of a definition that takes its schemas. */
export interface CompiledDefinition {
  readonly converter: DefinitionConverter;
  /** undefined: the definition has no such version. */
  schema(version: string): VersionSchema | undefined;
}

export interface CompiledDefinitionsParts {
  readonly clock: Clock;
  /** Reads a definition, as it is stored. */
  readonly compile: (definition: JsonObject) => CompiledDefinition;
}

interface Entry {
  readonly compiled: CompiledDefinition;
  usedAt: number;
}

const COMPILED_MAX = 256;
const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 60_000;

export class CompiledDefinitions {
  readonly #parts: CompiledDefinitionsParts;
  /** The one used longest ago stands first. */
  readonly #entries = new Map<string, Entry>();
  #isSweeping = false;

  constructor(parts: CompiledDefinitionsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#entries.size;
  }

  /**
   * @param key equal for two definitions if and only if their specs are.
   * @param definition reads the stored definition.
   */
  of(key: string, definition: () => JsonObject): CompiledDefinition {
    const { clock, compile } = this.#parts;
    const found = this.#entries.get(key);
    const entry = found ?? { compiled: compile(definition()), usedAt: 0 };
    entry.usedAt = clock.now();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (found === undefined) this.#evictOldest();
    return entry.compiled;
  }

  #evictOldest(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= COMPILED_MAX) break;
      this.#entries.delete(key);
    }
    this.#sweepLater();
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#parts.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      const longAgo = this.#parts.clock.now() - IDLE_MS;
      for (const [key, { usedAt }] of this.#entries) {
        if (usedAt <= longAgo) this.#entries.delete(key);
      }
      if (this.#entries.size > 0) this.#sweepLater();
    });
  }
}
