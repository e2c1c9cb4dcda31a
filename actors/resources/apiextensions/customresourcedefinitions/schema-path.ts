/**
 * A path to a field, as `.spec.replicas` or `.spec.labels['a.b']`, followed through a schema.
 *
 * In Kubernetes: ValidFieldPath, apiextensions-apiserver/pkg/apiserver/schema/cel.
 */
import { childPath, keyPath } from '../../../../api/schema/field-path.ts';
import type { StructuralSchema } from '../../../../api/structural-schema/structural-schema.ts';

export type FollowedPath =
  | {
      readonly ok: true;
      /** As it stands in errors: `spec.replicas`. */
      readonly path: string;
      readonly root: string;
      /** undefined: values of any kind. */
      readonly schema: StructuralSchema | undefined;
    }
  | { readonly ok: false; readonly message: string };

const TOKEN = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs;
const NO_FIELD = 'does not refer to a valid field';
const ENDED = 'unexpected end of JSON path';
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

/** @param allowsBrackets whether `['name']` may stand for `.name`. */
export function followPath(
  jsonPath: string,
  schema: StructuralSchema,
  { allowsBrackets }: { readonly allowsBrackets: boolean },
): FollowedPath {
  const tokens = jsonPath.match(TOKEN) ?? [];
  const walk = new Walk(schema);
  for (let at = 0; at < tokens.length;) {
    const step = readStep(tokens, at, allowsBrackets);
    if (step.problem !== '') return { ok: false, message: step.problem };
    const problem = walk.enter(step.name) || step.lateProblem;
    if (problem !== '') return { ok: false, message: problem };
    at = step.next;
  }
  return { ok: true, ...walk.place };
}

interface Step {
  readonly problem: string;
  readonly name: string;
  readonly next: number;
  /** Told when the field itself is there. */
  readonly lateProblem: string;
}

function readStep(tokens: readonly string[], at: number, allowsBrackets: boolean): Step {
  const failed = (problem: string): Step => ({ problem, name: '', next: at, lateProblem: '' });
  const token = tokens[at] ?? '';
  const name = tokens[at + 1];
  if (token === '.') {
    return name === undefined
      ? failed(ENDED)
      : { problem: '', name, next: at + 2, lateProblem: '' };
  }
  if (token !== '[') return failed(`expected [ or . but got: ${token}`);
  if (!allowsBrackets) return failed('array notation is not allowed');
  if (name === undefined) return failed(ENDED);
  if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")) {
    return failed(`expected single quoted string but got ${name}`);
  }
  const unescaped = unescapeQuoted(name.slice(1, -1));
  if (!unescaped.ok) return failed(`invalid string literal: ${unescaped.message}`);
  const end = tokens[at + 2];
  const isClosed = end === ']' ? '' : `expected ] but got ${end ?? ''}`;
  const lateProblem = end === undefined ? ENDED : isClosed;
  return { problem: '', name: unescaped.text, next: at + 3, lateProblem };
}

function unescapeQuoted(
  text: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string } {
  let wrong = '';
  const unescaped = text.replace(/\\(.?)/gs, (match, escape: string) => {
    const character = ESCAPES.get(escape);
    if (character === undefined) wrong = match;
    return character ?? '';
  });
  if (wrong !== '') return { ok: false, message: `invalid escape char ${wrong}` };
  return { ok: true, text: unescaped };
}

class Walk {
  #schema: StructuralSchema | undefined;
  #path = '';
  #root = '';

  constructor(schema: StructuralSchema) {
    this.#schema = schema;
  }

  get place(): { path: string; root: string; schema: StructuralSchema | undefined } {
    return { path: this.#path, root: this.#root, schema: this.#schema };
  }

  /** What is wrong with the name; '' when it is one. */
  enter(name: string): string {
    const schema = this.#schema;
    if (schema === undefined) return NO_FIELD;
    if (schema.properties.size > 0) {
      const next = schema.properties.get(name);
      if (next === undefined) return NO_FIELD;
      this.#move(next, childPath(this.#path, name), name);
      return '';
    }
    if (schema.additionalProperties === undefined) return NO_FIELD;
    const { additionalProperties: values } = schema;
    this.#move(values === true ? undefined : values, keyPath(this.#path, name), name);
    return '';
  }

  #move(schema: StructuralSchema | undefined, path: string, name: string): void {
    if (this.#path === '') this.#root = name;
    this.#schema = schema;
    this.#path = path;
  }
}
