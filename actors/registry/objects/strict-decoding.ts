/**
 * What a body said that its object does not keep: unknown fields, and keys that stand
 * there twice. The client chooses whether it is warned of them, refused, or told nothing.
 *
 * In Kubernetes: fieldValidation, and addStrictDecodingWarnings of
 * apiserver/pkg/endpoints/handlers/rest.go.
 */
import type { JsonValue } from '../../../api/json/json.ts';
import type { FieldValidation } from '../../../api/options/options.ts';
import { repeatedFields } from '../../../api/json/repeated-keys.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import type { Repeats } from '../write-context.ts';

const YAML_PROBLEM = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n/;

/**
 * Warns, or says why the object is not taken.
 *
 * @param sentences as `unknown field "spec.foo"`; what YAML has to say is one of several lines.
 */
export function checkStrict(
  request: AuthenticatedRequest,
  sentences: readonly string[],
  fieldValidation: FieldValidation,
): string | undefined {
  if (sentences.length === 0 || fieldValidation === 'Ignore') return undefined;
  if (fieldValidation === 'Strict') return `strict decoding error: ${sentences.join(', ')}`;
  warnOf(request, sentences);
  return undefined;
}

/**
 * One warning for each sentence; what the YAML library says in several lines is a warning for each
 * line.
 */
export function warnOf(request: AuthenticatedRequest, sentences: readonly string[]): void {
  for (const sentence of sentences) {
    const lines = sentence.replace(YAML_PROBLEM, '');
    if (lines === sentence) request.warn(sentence);
    else for (const line of lines.split('\n')) request.warn(line.trim());
  }
}

/** The sentences about repeated keys of a body that was read by no type. */
export function repeatSentences(value: JsonValue, repeats: Repeats | undefined): readonly string[] {
  if (repeats === undefined) return [];
  return [...yamlSentences(repeats), ...repeatedFields(value, repeats.keys)];
}

export function yamlSentences({ yamlProblem }: Repeats): readonly string[] {
  return yamlProblem === '' ? [] : [yamlProblem];
}
