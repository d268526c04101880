/** OpenAI chat messages as sent, stored in datasets and shown behind the eye. `content` is last, see `ContextFold`. */
export interface ChatToolCall {
  id: string;
  type: 'function';
  /** `arguments` is the model's JSON text, not an object. */
  function: { name: string; arguments: string };
}

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; reasoning_content?: string; tool_calls?: ChatToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

export interface PlacedMessage {
  message: ChatMessage;
  /** Step whose answer, observation or teaching this is; 0 for the head of the segment. */
  step: number;
}
