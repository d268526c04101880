import type { PromptView } from '@shared/contract/views';
import { useText } from '../../text/language';

/** Parameters and tools exactly as sent; the messages are in their own view. */
export function RequestView({ prompt }: { prompt: PromptView }) {
  const text = useText().prompt;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard
    <section className="prompt-request" aria-label={text.request} data-pane-focus tabIndex={0}>
      <h3>{text.parameters}</h3>
      <pre className="prompt-text">{JSON.stringify(prompt.request, null, 2)}</pre>
      <h3>{text.tools(prompt.tools.length)}</h3>
      {prompt.tools.map((tool) => (
        <details key={tool.function.name} className="prompt-tool">
          <summary>
            <b className="mono-12">{tool.function.name}</b>
            <span className="quiet cut">{tool.function.description.split('\n')[0]}</span>
          </summary>
          <pre className="prompt-text">{JSON.stringify(tool, null, 2)}</pre>
        </details>
      ))}
    </section>
  );
}
