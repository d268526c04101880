/** What a secret in a text is, as far as a person needs to know it. `known`: one that this installation holds. */
export const secretKinds = [
  'known',
  'model_key',
  'cloud_key',
  'service_token',
  'login_token',
  'private_key',
  'password',
] as const;
export type SecretKind = (typeof secretKinds)[number];
