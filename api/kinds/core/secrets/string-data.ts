/**
 * `stringData` is for writing only: its texts become base64 values of `data`, over what is there.
 *
 * In Kubernetes: Convert_v1_Secret_To_core_Secret, pkg/apis/core/v1.
 */
import type { Secret } from '../../../generated/kinds/core-v1.ts';
import { setOwn } from '../../../json/own-property.ts';

/** Changes `secret`, which has no stringData afterwards. */
export function moveStringData(secret: Secret): void {
  const { stringData } = secret;
  if (stringData === undefined) return;
  delete secret.stringData;
  const texts = Object.entries(stringData);
  if (texts.length === 0) return;
  const data = { ...secret.data };
  for (const [key, text] of texts) setOwn(data, key, Buffer.from(text).toString('base64'));
  secret.data = data;
}
