import { WaymarkError } from '@shared/contract/errors';
import { type Endpoint, endpointSchema } from '@shared/contract/settings';
import { checkAddress } from '../named-addresses';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';

/**
 * An ad-hoc endpoint from `--base-url`, else the one of that name or model in the settings, else the first. An address or a
 * variable that is typed here is named by the person, and runs may ask it on this machine from now on.
 */
export function endpointFor(context: CliContext, values: Arguments['values']): Endpoint {
  const known = context.settings.endpoints;
  if (values['base-url']) {
    const model = required(values.model, '--model (the model id the server expects)');
    checkAddress(values['base-url']);
    return named(context, {
      name: model.slice(0, 60),
      baseUrl: values['base-url'],
      model,
      keyEnv: values['api-key-env'] ?? '',
      images: takesImages(values, false),
    });
  }
  const found = values.model
    ? known.find(({ name, model }) => name === values.model || model === values.model)
    : known[0];
  if (found) {
    const chosen = { ...found, images: takesImages(values, found.images) };
    return values['api-key-env'] ? named(context, { ...chosen, keyEnv: values['api-key-env'] }) : chosen;
  }
  throw new WaymarkError(
    'not_found',
    values.model
      ? `There is no model endpoint named "${values.model}" in the settings. Name the server with --base-url.`
      : 'There is no model endpoint in the settings. Name one with --base-url URL --model ID.',
  );
}

/** As typed, else as known. */
function takesImages({ images }: Arguments['values'], known: boolean): boolean {
  return oneOf(images, ['on', 'off'], known ? 'on' : 'off', '--images') === 'on';
}

function named({ addresses }: CliContext, typed: unknown): Endpoint {
  const endpoint = endpointSchema.parse(typed);
  addresses.remember(endpoint);
  return endpoint;
}
