/**
 * A chat template for training with masks by message: ChatML with `<tool_call>` blocks, as Qwen 2.5 and Qwen3 use it. What the
 * model writes is inside `{% generation %}` where the message's `train` is true, and printed alike outside it where it is not, so
 * that the text is the same whatever is masked. The words around tools are those that these models were made with; the rest is
 * Waymark's own. A message without `train` trains, as TRL's own probe of a template expects; records have it on every message.
 */
export const trainingTemplate = `{#-
  Training template: ChatML with <tool_call> blocks. An answer trains unless its "train" is false.
  Text is the same whatever "train" says. No reasoning is dropped, and none is added.
-#}
{%- macro call_json(call) -%}
    {{- '{"name": ' + (call.name | tojson) + ', "arguments": ' }}
    {{- call.arguments if call.arguments is string else (call.arguments | tojson) }}
    {{- '}' }}
{%- endmacro -%}
{%- macro answer(message) -%}
    {%- if message.reasoning_content is defined and message.reasoning_content %}
        {{- '<think>\\n' + message.reasoning_content.strip('\\n') + '\\n</think>\\n\\n' }}
        {{- message.content.lstrip('\\n') }}
    {%- else %}
        {{- message.content }}
    {%- endif %}
    {%- for call in message.tool_calls or [] %}
        {%- if not loop.first or message.content %}
            {{- '\\n' }}
        {%- endif %}
        {{- '<tool_call>\\n' + call_json(call.function) + '\\n</tool_call>' }}
    {%- endfor %}
    {{- '<|im_end|>' }}
{%- endmacro -%}
{%- set system = messages[0].content if messages[0].role == 'system' else '' %}
{%- if tools %}
    {{- '<|im_start|>system\\n' + (system + '\\n\\n' if system else '') }}
    {{- '# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\n' }}
    {{- 'You are provided with function signatures within <tools></tools> XML tags:\\n<tools>' }}
    {%- for tool in tools %}
        {{- '\\n' + (tool | tojson) }}
    {%- endfor %}
    {{- '\\n</tools>\\n\\nFor each function call, return a json object with function name and arguments ' }}
    {{- 'within <tool_call></tool_call> XML tags:\\n<tool_call>\\n' }}
    {{- '{"name": <function-name>, "arguments": <args-json-object>}\\n</tool_call><|im_end|>\\n' }}
{%- elif system %}
    {{- '<|im_start|>system\\n' + system + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {{- '<|im_start|>assistant\\n' }}
        {%- if message.train is not defined or message.train %}
            {%- generation %}{{- answer(message) }}{%- endgeneration %}
        {%- else %}
            {{- answer(message) }}
        {%- endif %}
        {{- '\\n' }}
    {%- elif message.role == 'tool' %}
        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- elif message.role == 'user' or not loop.first %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
`;
