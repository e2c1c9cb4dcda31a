/**
 * `stringData` is for writing only: its texts become base64 values of `data`, over what is there.
 *
 * In Kubernetes: Convert_v1_Secret_To_core_Secret, pkg/apis/core/v1.
 */
import { objectAt, type JsonObject } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { setOwn } from '../../../../api/patch/own-property.ts';
import { stringEntriesAt } from '../../value-validation.ts';

/** Changes `secret`, which has no stringData afterwards. */
export function moveStringData(secret: KubeObject): void {
  const texts = stringEntriesAt(secret, 'stringData');
  Reflect.deleteProperty(secret, 'stringData');
  if (texts.length === 0) return;
  const data: JsonObject = { ...objectAt(secret, 'data') };
  for (const [key, text] of texts) setOwn(data, key, Buffer.from(text).toString('base64'));
  secret['data'] = data;
}
