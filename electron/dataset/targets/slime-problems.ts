type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const roles = new Set(['system', 'user', 'assistant', 'tool']);

/**
 * What slime's loader and its mask generator would refuse or silently mangle (`slime/utils/data.py`, `mask_utils.py` at 624b824a):
 * a mask that is not 1 masks, whatever it is; a row in which nothing trains becomes a corrupt sample; tools that are no list
 * stop the load.
 */
export function slimeProblems(value: Fields): string[] {
  const { messages, tools, metadata } = value;
  const problems: string[] = [];
  if (!Array.isArray(messages) || messages.length === 0)
    return ['messages is not a list with messages in it'];
  let trained = 0;
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    if (!isFields(message)) problems.push(`${where} is not an object`);
    else {
      for (const what of messageProblems(message)) problems.push(`${where}.${what}`);
      if (message.role === 'assistant' && message.step_loss_mask === 1) trained += 1;
    }
  }
  if (trained === 0) problems.push('messages: no assistant message has step_loss_mask 1');
  if (!Array.isArray(tools) || !tools.every(isFields)) problems.push('tools is not a list of objects');
  if (!isFields(metadata)) problems.push('metadata is not an object');
  if (hasNull(metadata) || hasNull(messages)) problems.push('a field is null; absent facts are left out');
  return problems;
}

function messageProblems(message: Fields): string[] {
  const { role, content, tool_calls: calls, step_loss_mask: mask } = message;
  const problems: string[] = [];
  if (typeof role !== 'string' || !roles.has(role)) problems.push('role is none that a chat template knows');
  if (typeof content !== 'string' && !(role === 'user' && Array.isArray(content)))
    problems.push('content is not text');
  if (role === 'assistant') {
    if (mask !== 0 && mask !== 1) problems.push('step_loss_mask is neither 0 nor 1');
  } else if ('step_loss_mask' in message) problems.push('step_loss_mask is on a message that never trains');
  if (role === 'tool' && typeof message.tool_call_id !== 'string') problems.push('tool_call_id is not text');
  if (calls !== undefined) problems.push(...callProblems(role, calls));
  return problems;
}

function callProblems(role: unknown, calls: unknown): string[] {
  if (role !== 'assistant') return ['tool_calls is on a message of another role'];
  if (!Array.isArray(calls) || calls.length === 0) return ['tool_calls is not a list with calls in it'];
  return calls.flatMap((call: unknown, at) => {
    const called = isFields(call) && isFields(call.function) ? call.function : null;
    if (called === null) return [`tool_calls[${at}].function is not an object`];
    const { name, arguments: given } = called;
    return [
      ...(typeof name === 'string' && name !== '' ? [] : [`tool_calls[${at}].function.name is not text`]),
      ...(typeof given === 'string' || isFields(given)
        ? []
        : [`tool_calls[${at}].function.arguments is neither text nor an object`]),
    ];
  });
}

/** Arguments of calls may hold null: there it is what the model wrote. */
function hasNull(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(hasNull);
  if (!isFields(value)) return false;
  // Every record of a dataset is looked at: a list of its fields would cost more than the look.
  for (const name in value) if (name !== 'arguments' && hasNull(value[name])) return true;
  return false;
}
