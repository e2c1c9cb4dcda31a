/**
 * The names of all families of figures that stand in the code, read from its text: a family without
 * samples is not shown, so no server shows all of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CONSTANT = /^(?:export )?const ([A-Z_]+) =\s*[`']([^`']+)[`'];/gm;
const TEXT = /[`']((?:[a-z_0-9]|\$\{[^}]*\})+)[`']/g;
/** It names families, whether they are shown or not. */
const OF_ANY = join('metrics', 'exposition.ts');
const SORTS = ['authentication', 'authorization', 'encryption'];
/** What names have in their middle that is told at run time. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  family: SORTS.map((sort) => `apiserver_${sort}_config_controller`),
  problem: ['missing_san', 'insecure_sha1'],
};

export interface FamilyNames {
  /** Those that stand there as a whole, or whose parts are constants. */
  readonly certain: ReadonlySet<string>;
  /** And those that can be made of a template and the other texts of its file. */
  readonly possible: ReadonlySet<string>;
}

export function familyNames(): FamilyNames {
  const [certain, possible] = [new Set<string>(), new Set<string>()];
  for (const file of readdirSync(join(ROOT, 'gateway'), { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.test|\.fixture)\.ts$/.test(file) || file === OF_ANY) continue;
    const text = readFileSync(join(ROOT, 'gateway', file), 'utf8');
    const constants = constantsIn(text);
    const templates = [...text.matchAll(TEXT)].map(([, template = '']) => template);
    const plain = templates.filter((template) => !template.includes('$'));
    for (const template of templates) {
      for (const name of filled(template, constants, [])) certain.add(name);
      for (const name of filled(template, constants, plain)) possible.add(name);
    }
  }
  return { certain, possible };
}

function constantsIn(text: string): ReadonlyMap<string, readonly string[]> {
  const constants = new Map<string, readonly string[]>(Object.entries(CHOICES));
  for (const [, name = '', value = ''] of text.matchAll(CONSTANT)) {
    constants.set(name, filled(value, constants, []));
  }
  return constants;
}

/** All that a template can become. @param others for parts that are no constants. */
function filled(
  template: string,
  constants: ReadonlyMap<string, readonly string[]>,
  others: readonly string[],
): readonly string[] {
  let texts: readonly string[] = [''];
  for (const part of template.split(/(\$\{[^}]*\})/)) {
    const name = /^\$\{(.*)\}$/.exec(part)?.[1];
    const values = name === undefined ? [part] : (constants.get(name) ?? others);
    texts = texts.flatMap((text) => values.map((value) => text + value));
  }
  return texts;
}
