/**
 * Keys that stand in one YAML mapping twice, told as Go's library tells of them: by the line of the
 * value, all in one message. Keys that `<<` brings in count as if they stood there.
 *
 * In Kubernetes: UnmarshalStrict of go.yaml.in/yaml/v2, below sigs.k8s.io/yaml.
 */
import type { LineCounter } from 'yaml';
import { goQuote } from '../../api/json/go-format.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';

/** Upstream has no limit; a body has room for a hundred thousand. */
const TOLD_MAX = 1_000;

export class YamlRepeats {
  readonly #lines: LineCounter;
  readonly #seen = new Map<JsonObject, Set<string>>();
  readonly #told: string[] = [];

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  /**
   * The mapping that becomes `object` has this key, as it was before it became a string.
   * @param offset of the value, in the text.
   */
  meet(object: JsonObject, key: JsonValue, offset: number): void {
    let keys = this.#seen.get(object);
    if (keys === undefined) {
      keys = new Set();
      this.#seen.set(object, keys);
    }
    const shown = typeof key === 'string' ? goQuote(key) : formatJson(key);
    if (!keys.has(shown)) keys.add(shown);
    else if (this.#told.length < TOLD_MAX) {
      const { line } = this.#lines.linePos(offset);
      this.#told.push(`line ${String(line)}: key ${shown} already set in map`);
    }
  }

  /** '' when every key stands once. */
  problem(): string {
    if (this.#told.length === 0) return '';
    return `yaml: unmarshal errors:\n  ${this.#told.join('\n  ')}`;
  }
}
