/**
 * ComponentStatus: how the other parts of the control plane are, found out at each read. The kind
 * is deprecated; what it tells is of the machine the server runs on, nothing else.
 *
 * In Kubernetes: registry/core/componentstatus.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { parseListOptions } from '../../../api/options/options-list.ts';
import { notFound } from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { selectsContent, selectsPath } from '../../../projections/objects/selection.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { selectionOf } from '../../registry/reads/selection-of.ts';
import { readPath, type Stage, type VerbHandlers } from '../../registry/stage.ts';
import type { Received } from '../../registry/write.ts';
import type { ReadContext } from '../../registry/write-context.ts';
import { virtualAnswer } from '../../registry/paths/post.ts';
import type { Component } from '../../../api/kinds/core/componentstatuses/component.ts';

/** Under the singular, as upstream has it. */
const NOT_FOUND = { group: '', resource: 'componentstatus' };

/** The verbs `get` and `list`: all components are probed side by side at each read. */
export function readingComponents(components: readonly Component[]): VerbHandlers {
  return { get: readPath('get')(getting(components)), list: readPath('list')(listing(components)) };
}

function getting(components: readonly Component[]): Stage<Received, Received> {
  const run = async ({ request, served }: Received): Promise<Answer> => {
    const { name } = request.info;
    const component = components.find((one) => one.name === name);
    if (component === undefined) return statusAnswer(notFound(NOT_FOUND, name));
    return virtualAnswer(served, 200, await statusOf(component, served));
  };
  return { name: 'answer', run };
}

function listing(components: readonly Component[]): Stage<Received, Received> {
  const run = async ({ request, served }: Received, context: ReadContext): Promise<Answer> => {
    const parsed = parseListOptions(request.query);
    const selected = parsed.ok ? selectionOf(request, served, parsed.options) : parsed;
    if (!selected.ok) return statusAnswer(selected.status);
    const { selection } = selected;
    const statuses = await Promise.all(components.map((one) => statusOf(one, served)));
    const items = statuses
      .map((status) => asStored(status, served, context.applied.current))
      .filter(({ path }) => selectsPath(selection, path))
      .filter((item) => selectsContent(selection, item));
    return {
      kind: 'List',
      served,
      items,
      resourceVersion: undefined,
      continue: '',
      remainingItemCount: undefined,
    };
  };
  return { name: 'answer', run };
}

async function statusOf(
  component: Component,
  { facts, apiVersion }: ServedResource,
): Promise<KubeObject> {
  const { name } = component;
  const { isHealthy, message, error } = await component.check();
  const status = isHealthy === undefined ? 'Unknown' : isHealthy ? 'True' : 'False';
  const condition: JsonObject = { type: 'Healthy', status, message, error };
  return { kind: facts.kind, apiVersion, metadata: { name }, conditions: [condition] };
}

/** In the form that lists are made of. It has a version, which is not shown: how far the server had come. */
function asStored(
  object: KubeObject,
  { facts, definition }: ServedResource,
  resourceVersion: ResourceVersion,
): StoredObject {
  const decoded = typedCodec(facts.typeId).decode(object);
  if (!decoded.ok) throw new Error(`what would be listed is no ${facts.typeId}`);
  return {
    resource: definition.storage,
    path: pathOf('', object.metadata.name ?? ''),
    resourceVersion,
    labels: undefined,
    json: Buffer.from(formatJson(decoded.value)),
  };
}
