/**
 * The section "Which write wins" of docs/event-format.md, written down from its words alone: nothing of the
 * server's own code is used here, so that the document is tested with it.
 */
import { parseJson } from '../support/json.ts';
import type { TopicRecord } from './topic-lines.ts';

export type Verdict = 'effective' | 'overtaken' | 'duplicate' | 'marker';

export interface Outcome {
  /** In the order of the records. */
  readonly verdicts: readonly Verdict[];
  /** What exists in the end, by key. */
  readonly objects: ReadonlyMap<string, { readonly version: number; readonly value: string }>;
}

export function whoWins(records: readonly TopicRecord[]): Outcome {
  const objects = new Map<string, { version: number; value: string }>();
  const sequences = new Map<string, number>();
  const versionOf = (key: string): number => objects.get(key)?.version ?? 0;

  const verdicts = records.map(({ offset, key, value, headers }): Verdict => {
    const header = Object.fromEntries(headers);
    const writer = header['writer'] ?? '';
    const sequence = Number(header['sequence']);
    if (sequence <= (sequences.get(writer) ?? 0)) return 'duplicate';
    sequences.set(writer, sequence);
    if (key === 'everwatch/marker') return 'marker';

    const type = (header['ce_type'] ?? '').replace('dev.everwatch.object.', '');
    const previous = Number(header['previousResourceVersion']);
    const isEffective =
      (previous === 0) === (type === 'added') &&
      versionOf(key) === previous &&
      requirementsIn(header['requires'] ?? '').every(
        ([resource, path, version]) =>
          versionOf(`${resource}/${path}`) === (version < 0 ? offset + 1 + version : version),
      );
    if (!isEffective) return 'overtaken';
    if (type === 'deleted') objects.delete(key);
    else objects.set(key, { version: offset + 1, value });
    return 'effective';
  });
  return { verdicts, objects };
}

/** As the document has it: the object's `resourceVersion` stands behind `metadata.uid`. */
export function objectText(value: string, version: number): string {
  return value.replace(/"uid":"[^"]*"/, (uid) => `${uid},"resourceVersion":"${String(version)}"`);
}

function requirementsIn(text: string): [resource: string, path: string, version: number][] {
  return parseJson(text) as [string, string, number][]; // The document says so.
}
