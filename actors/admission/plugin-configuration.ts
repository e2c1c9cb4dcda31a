/**
 * What an operator tells a plug-in, out of the file of --admission-control-config-file: an object
 * that the plug-in itself reads, since each has a form of its own.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';

export interface PluginConfiguration {
  /** With its `apiVersion` and `kind`, not checked yet. */
  readonly content: JsonObject;
  /** Where it was found, for messages and for files that it names beside it. */
  readonly file: string;
}

/** A plug-in cannot work with what it was told; the server does not start. */
export class PluginConfigurationError extends Error {
  override readonly name = 'PluginConfigurationError';
}

/**
 * The content of a configuration of one of these versions and that kind.
 *
 * @throws PluginConfigurationError it is something else.
 */
export function configurationOf(
  { content, file }: PluginConfiguration,
  { kind, versions }: { readonly kind: string; readonly versions: readonly string[] },
): JsonObject {
  const { kind: saidKind, apiVersion } = content;
  if (saidKind === kind && typeof apiVersion === 'string' && versions.includes(apiVersion)) {
    return content;
  }
  const said = `${formatJson(apiVersion ?? '')}, ${formatJson(saidKind ?? '')}`;
  const expected = versions.map((version) => `${version}, ${kind}`).join(' or ');
  throw new PluginConfigurationError(`${file}: must be ${expected}, not ${said}`);
}
