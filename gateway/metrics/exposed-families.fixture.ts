/** What stands in a text of figures: each family with its type, its help and the labels it has. */

export interface ExposedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Sorted; without `le` and `quantile`. */
  readonly labels: readonly string[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="(?:[^"\\]|\\.)*"/g;
const OF_PARTS: ReadonlySet<string> = new Set(['le', 'quantile']);

/** In the order of the text. @throws for a sample of no family. */
export function exposedFamilies(text: string): ExposedFamily[] {
  const found = new Map<string, { help: string; type: string; labels: Set<string> }>();
  for (const line of text.split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word !== undefined) {
      const family = found.get(name) ?? { help: '', type: '', labels: new Set() };
      found.set(name, family);
      if (word === 'HELP') family.help = rest;
      else family.type = rest;
    } else if (line !== '') addLabels(found, line);
  }
  return [...found].map(([name, { help, type, labels }]) => ({
    ...{ name, type, help },
    labels: [...labels].filter((label) => !OF_PARTS.has(label)).sort(),
  }));
}

function addLabels(found: ReadonlyMap<string, { labels: Set<string> }>, line: string): void {
  const [, sample = '', labels = ''] = SAMPLE.exec(line) ?? [];
  const family = found.get(sample) ?? found.get(sample.replace(/_(?:bucket|sum|count)$/, ''));
  if (family === undefined) throw new Error(`a sample of no family: ${line}`);
  for (const [, label = ''] of labels.matchAll(LABEL)) family.labels.add(label);
}

/** `STABLE` of `[STABLE] What it is.`; '' where a help begins with none. */
export function stabilityIn(help: string): string {
  return /^\[([A-Z]+)\] /.exec(help)?.[1] ?? '';
}
