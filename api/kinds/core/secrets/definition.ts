/**
 * Secrets: values that are shown to few. `stringData` is for writing only: its texts become base64
 * values of `data`, over those that are there, which is conversion and no default.
 *
 * In Kubernetes: registry/core/secret; SetDefaults_Secret and Convert_v1_Secret_To_core_Secret,
 * pkg/apis/core/v1.
 */
import { defineKind } from '../../kind.ts';
import { secretWarnings, validateSecret, validateSecretUpdate } from './validation.ts';
import type { Secret } from '../../../generated/kinds/core-v1.ts';
import { copiedObject } from '../../../json/long-values.ts';
import { setOwn } from '../../../json/own-property.ts';
import { forEachKey, hasFields, remembered } from '../../../json/work-in-slices.ts';

/** The kind Secret; `stringData` moves into `data` before it is stored. */
export const secrets = defineKind('v1/secrets', {
  fields: { type: (secret) => secret.type ?? '' },
  rules: {
    prepareForCreate: moveStringData,
    prepareForUpdate(secret, old) {
      moveStringData(secret);
      if ((secret.type ?? '') === '') secret.type = old.type ?? '';
    },
    warningsOnCreate: secretWarnings,
    warningsOnUpdate: secretWarnings,
    validate: validateSecret,
    validateUpdate: validateSecretUpdate,
  },
});

/** SetDefaults_Secret: the type `Opaque`. */
export function setSecretDefaults(secret: Secret): void {
  secret.type ||= 'Opaque';
}

/** Changes `secret`, which has no stringData afterwards. */
export function moveStringData(secret: Secret): void {
  // Remembered, as behind a pause the texts are not there any more.
  remembered(() => {
    const { stringData } = secret;
    if (stringData === undefined) return;
    if (hasFields(stringData)) secret.data = withTexts(secret.data ?? {}, stringData);
    delete secret.stringData;
  });
}

type Data = NonNullable<Secret['data']>;
type Texts = NonNullable<Secret['stringData']>;

function withTexts(data: Data, texts: Texts): Data {
  const all = copiedObject(data);
  forEachKey(texts, (key) => {
    setOwn(all, key, Buffer.from(texts[key] ?? '').toString('base64'));
  });
  return all as Data; // What is put over it are texts.
}
