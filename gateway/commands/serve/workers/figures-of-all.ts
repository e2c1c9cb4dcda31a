/**
 * The figures of several processes as one text: each sample says in the label `worker` whose it is. They are
 * not added up: what a counter of a dead worker had counted would be missing in the sum of the others, and a
 * scraper takes a counter that falls for one that began anew.
 */
import type { NumberedTexts } from './worker-words.ts';

interface Family {
  /** Its lines of help and type, as the first worker that has it writes them. */
  readonly head: readonly string[];
  readonly samples: string[];
}

/** @param texts in Prometheus' text format, in which each family begins with its help. */
export function figuresOfAll(texts: NumberedTexts): string {
  const families = new Map<string, Family>();
  for (const [worker, text] of texts) {
    for (const [name, head, samples] of familiesIn(text)) {
      const family = families.get(name) ?? { head, samples: [] };
      families.set(name, family);
      for (const sample of samples) family.samples.push(withWorker(sample, worker));
    }
  }
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const HELP = '# HELP ';

function* familiesIn(text: string): Generator<[name: string, head: string[], samples: string[]]> {
  let name = '';
  let head: string[] = [];
  let samples: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith(HELP)) {
      if (head.length > 0) yield [name, head, samples];
      name = line.slice(HELP.length, line.indexOf(' ', HELP.length));
      [head, samples] = [[], []];
    }
    if (line.startsWith('#')) head.push(line);
    else samples.push(line);
  }
  if (head.length > 0) yield [name, head, samples];
}

/** A name is followed by its labels, or by a space and the value. */
function withWorker(sample: string, worker: number): string {
  const label = `worker="${String(worker)}"`;
  const open = sample.indexOf('{');
  const space = sample.indexOf(' ');
  if (open < 0 || space < open) return `${sample.slice(0, space)}{${label}}${sample.slice(space)}`;
  const isEmpty = sample[open + 1] === '}';
  return `${sample.slice(0, open + 1)}${label}${isEmpty ? '' : ','}${sample.slice(open + 1)}`;
}
