/**
 * `stringData` is for writing only: its texts become base64 values of `data`, over what is there.
 *
 * In Kubernetes: Convert_v1_Secret_To_core_Secret, pkg/apis/core/v1.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { setOwn } from '../../../../api/patch/own-property.ts';

/** Changes `secret`, which has no stringData afterwards. */
export function moveStringData(secret: KubeObject): void {
  const texts = objectAt(secret, 'stringData') ?? {};
  const keys = Object.keys(texts);
  Reflect.deleteProperty(secret, 'stringData');
  if (keys.length === 0) return;
  const data: JsonObject = { ...objectAt(secret, 'data') };
  for (const key of keys) setOwn(data, key, Buffer.from(stringAt(texts, key)).toString('base64'));
  secret['data'] = data;
}
