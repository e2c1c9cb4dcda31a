/**
 * What Kubernetes' own code answered to generated questions, kept beside the tests as digests: so
 * unit tests notice an answer that is not Kubernetes', on a machine without Go too.
 *
 * A record has sections, one a line. A test beside Go confirms it: it fails where Go answers
 * something else today, and writes the record with EVERWATCH_RECORD=1. A unit test that differs
 * from the record names the question; the test beside Go shows both answers.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { formatJson } from '../api/json/json-text.ts';

const DIGEST_LENGTH = 8;

/** The order of keys does not count. */
export interface RecordedAnswers {
  /** The places in the section at which an answer is not the recorded one, or one of both is missing. */
  differing(section: number, answers: readonly unknown[]): number[];
  /** To call with Go's answers: the sections that are not as recorded. Writes them when asked to. */
  confirm(sections: readonly (readonly unknown[])[]): number[];
}

/** The record in that file, empty where there is none yet. */
export function recordedAnswers(file: string): RecordedAnswers {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const differing = (section: number, answers: readonly unknown[]): number[] => {
    const recorded = lines[section]?.split(' ') ?? [];
    const digests = answers.map(digestOf);
    const places = Array.from({ length: Math.max(digests.length, recorded.length) }, (_, at) => at);
    return places.filter((at) => digests[at] !== recorded[at]);
  };
  return {
    differing,
    confirm(sections) {
      if (process.env['EVERWATCH_RECORD'] === '1') {
        const written = sections.map((answers) => answers.map(digestOf).join(' '));
        writeFileSync(file, `${written.join('\n')}\n`);
        return [];
      }
      const wrong = sections.map((answers, at) => (differing(at, answers).length > 0 ? at : -1));
      const missing = lines.length === sections.length ? [] : [lines.length];
      return [...wrong.filter((at) => at >= 0), ...missing];
    },
  };
}

function digestOf(answer: unknown): string {
  const text = formatJson([sortedKeys(answer ?? null)]);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

/** The same value with the keys of its objects in the order of the alphabet. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sortedKeys(field)]));
}
