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
  const stop = pane?.querySelector<HTMLElement>(
    '[data-pane-focus], [role="grid"], [role="tab"][aria-selected="true"], button:not(:disabled), textarea, [tabindex="0"]',
  );
  (stop ?? pane)?.focus();
}
