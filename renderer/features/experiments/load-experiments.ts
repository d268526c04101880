/** The experiments page: its code is loaded once the window is idle, or when it is asked for. */
export async function loadExperiments() {
  const { ExperimentsPage } = await import('./ExperimentsPage');
  return { default: ExperimentsPage };
}
