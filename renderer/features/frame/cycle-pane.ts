/** F6 goes through the panes in reading order: rail, timeline, detail, terminals, dock. */
export function cyclePane(direction: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(
    (pane) => pane.offsetParent !== null || pane.getClientRects().length > 0,
  );
  if (panes.length === 0) return;
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next =
    at === -1 ? (direction === 1 ? 0 : panes.length - 1) : (at + direction + panes.length) % panes.length;
  const pane = panes[next];
  // The pane's main thing first: its list or its text, else its chosen tab or run, else its first control.
  const stops = [
    '[role="grid"]',
    'textarea',
    '[role="tab"][aria-selected="true"]',
    '[aria-current="true"]',
    'button:not(:disabled), [tabindex="0"]',
  ];
  const stop = stops
    .map((selector) => pane?.querySelector<HTMLElement>(selector))
    .find((found) => found != null);
  (stop ?? pane)?.focus();
}
