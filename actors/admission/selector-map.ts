/**
 * Node selectors as they stand in annotations and files: `a=b,c=d`.
 *
 * In Kubernetes: ConvertSelectorToLabelsMap, apimachinery/pkg/labels.
 */
import { labelValueProblems, qualifiedNameProblems } from '../../api/meta/names.ts';
import { formatFieldError, invalidValue } from '../../api/field/field-errors.ts';

export type SelectorMap = ReadonlyMap<string, string>;

export type ParsedSelectorMap =
  | { readonly ok: true; readonly labels: SelectorMap }
  | { readonly ok: false; readonly why: string };

/** Go prints this for a path that was not given. */
const NO_PATH = '<nil>';

export function parseSelectorMap(text: string): ParsedSelectorMap {
  const labels = new Map<string, string>();
  if (text === '') return { ok: true, labels };
  for (const pair of text.split(',')) {
    const parts = pair.split('=');
    const [key = '', value = ''] = parts.map((part) => part.trim());
    if (parts.length !== 2) return { ok: false, why: `invalid selector: [${parts.join(' ')}]` };
    const problem = keyProblem(key) ?? valueProblem(key, value);
    if (problem !== undefined) return { ok: false, why: problem };
    labels.set(key, value);
  }
  return { ok: true, labels };
}

function keyProblem(key: string): string | undefined {
  const problems = qualifiedNameProblems(key);
  if (problems.length === 0) return undefined;
  return formatFieldError(invalidValue(NO_PATH, key, problems.join('; ')));
}

function valueProblem(key: string, value: string): string | undefined {
  const problems = labelValueProblems(value);
  if (problems.length === 0) return undefined;
  return formatFieldError(invalidValue(`[${key}]`, value, problems.join('; ')));
}
